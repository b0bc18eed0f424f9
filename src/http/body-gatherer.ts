/** Gathers a body that comes in pieces, however small, in little more memory than it has bytes. */
export interface BodyGatherer {
  readonly add: (piece: Buffer) => void;
  readonly all: () => Buffer;
}

/** Pieces that are kept apart: of a body that comes byte by byte each would take a hundred times its size. */
const MOST_PIECES = 1024;

/** For a body of so many bytes at most; null where nobody knows. */
export function createBodyGatherer(length: number | null): BodyGatherer {
  return length === null ? inPieces() : inPlace(length);
}

function inPlace(length: number): BodyGatherer {
  const body = Buffer.allocUnsafe(length);
  let size = 0;
  return {
    add: (piece) => {
      body.set(piece, size);
      size += piece.length;
    },
    all: () => body.subarray(0, size),
  };
}

function inPieces(): BodyGatherer {
  const blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  return {
    add: (piece) => {
      pieces.push(piece);
      if (pieces.length < MOST_PIECES) return;
      blocks.push(Buffer.concat(pieces));
      pieces = [];
    },
    all: () => Buffer.concat([...blocks, ...pieces]),
  };
}
