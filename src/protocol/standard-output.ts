import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** stdout as a stream that fails if not all of what it is given can be written, whatever stdout is. */
export function standardOutput(): Writable {
  const { stdout }: { stdout: Writable & { readonly fd: number } } = process;
  // not imported by name, which would load lists of addresses too
  const { Socket } = process.getBuiltinModule('node:net');
  // pipes and terminals are sockets for Node
  return stdout instanceof Socket ? stdout : fileOutput(stdout.fd);
}

/** Node's own stream takes a write for done of which only a part has found room on the disk: rows would be lost in silence. */
function fileOutput(fd: number): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      try {
        for (let at = 0; at < bytes.length;) {
          const written = writeSync(fd, bytes, at);
          if (written === 0) throw new Error('the disk takes nothing');
          at += written;
        }
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    },
  });
}
