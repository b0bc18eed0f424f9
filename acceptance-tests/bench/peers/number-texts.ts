const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/g;

/**
 * The numbers of a JSON text by their place, exactly as they are written: `{"aB":[1.50]}` gives `ab.0` → `1.50`. Names are
 * compared without case and underscores, since some programs write them in a manner of their own.
 */
export function numberTexts(json: string): Map<string, string> {
  const numbers = new Map<string, string>();
  const path: (string | number)[] = [];
  let name: string | null = null;
  for (const [token] of json.matchAll(TOKEN)) {
    const first = token[0] ?? '';
    if (first === '{') path.push('');
    else if (first === '[') path.push(0);
    else if (first === '}' || first === ']') path.pop();
    else if (first === ',') step(path);
    else if (first === ':') path[path.length - 1] = name ?? '';
    else if (first === '"') name = plain(JSON.parse(token) as string);
    else if (/[-\d]/.test(first)) numbers.set(path.join('.'), token);
  }
  return numbers;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}

function step(path: (string | number)[]): void {
  const last = path.at(-1);
  if (typeof last === 'number') path[path.length - 1] = last + 1;
}

/** True if two numbers of JSON are the same number, digit by digit: `1.50` and `15e-1` are, `0.1` and its float are not. */
export function isSameNumber(a: string, b: string): boolean {
  return canonical(a) === canonical(b);
}

function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
