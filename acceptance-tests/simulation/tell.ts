/** Told of what happens; the words are made only if somebody wants to know. */
export type Tell = (words: () => string) => void;
