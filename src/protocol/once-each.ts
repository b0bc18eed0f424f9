/** Returns a function that passes each message on once. */
export function onceEach(pass: (message: string) => Promise<void>): (message: string) => Promise<void> {
  const passed = new Set<string>();
  return async (message) => {
    if (passed.has(message)) return;
    passed.add(message);
    await pass(message);
  };
}
