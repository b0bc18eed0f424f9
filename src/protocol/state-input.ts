import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';

import { fileProblem } from '../config/file-problem.ts';
import type { OpenFile } from '../config/read-json-file.ts';
import { configError } from '../errors.ts';
import { StateFormError, statesOf } from './state-forms.ts';
import { createStateLines, expectText } from './state-lines.ts';
import type { LoadedState } from './state-lines.ts';

/** Characters up to which a file may be one JSON document: our states stay far below, anything larger is saved output. */
const DOCUMENT_CHARS = 4 * 1024 * 1024;

/**
 * Reads a state file in every form of the design: the saved output of earlier reads, one or several joined, in which
 * the last STATE of each stream counts, or one JSON document (see `statesOf`), or nothing at all. It is read once, line
 * by line and never all at once, so that a pipe will do as well.
 *
 * @throws config_error STATE_INVALID that names the file and what is wrong: a damaged state never restarts silently
 */
export async function loadState(path: string, open: OpenFile): Promise<LoadedState> {
  try {
    return await readState(open(path));
  } catch (error) {
    const words = error instanceof StateFormError ? error.message : fileProblem(error);
    throw words === null ? error : configError('STATE_INVALID', `state ${path}: ${words}.`);
  }
}

async function readState(file: Readable): Promise<LoadedState> {
  const lines = createStateLines();
  let document: string[] | null = [];
  let chars = 0;
  // a pipeline, since `pipe` alone leaves a file that cannot be read to end the process
  await pipeline(file, split2(), async (source: AsyncIterable<string>) => {
    for await (const line of source) {
      lines.line(line);
      chars += line.length + 1;
      if (chars > DOCUMENT_CHARS) document = null;
      document?.push(line);
    }
  });
  const text = (document ?? []).join('\n').replace(/^\uFEFF/, '');
  try {
    return lines.end() ?? { states: new Map(), cutLines: 0 };
  } catch (error) {
    const value = parseDocument(text);
    if (value === undefined) throw error;
    expectText(text);
    return { states: new Map(statesOf(value)), cutLines: 0 };
  }
}

/** The JSON document that a text is, undefined if it is none. */
function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
