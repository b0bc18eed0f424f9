import { echo } from './echo.ts';
import { pageOf } from './fault-act.ts';
import type { Act, ReadPage, Scene } from './fault-act.ts';

/** Where an envelope without extras, and in the usual order, has it. */
const paginationText = /"pagination":\{[^}]*\}(?=\}\}$)/;

const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;

/** Another body in the place of the right one, under its status. */
export function body(change: (scene: Scene) => string): Act {
  return (scene) => {
    scene.deliver({ ...scene.answer, body: change(scene) });
    return true;
  };
}

/** The first half of the body, whole as far as HTTP knows. */
export const truncatedJson = body(({ answer }) => answer.body.slice(0, answer.body.length / 2));

/** A page for people, as gateways and login pages give it with status 200. */
export const html: Act = ({ call, answer, deliver }) => {
  const text = `<!DOCTYPE html>\n<title>Sign in</title>\n<p>You sent ${echo(call)}</p>`;
  deliver({ ...answer, headers: { 'content-type': 'text/html' }, body: text });
  return true;
};

/** Nothing but 10,000 arrays in one another. */
export const deepNesting = body(() => deep);

/** The right body with a member beside the others that is nested 10,000 deep: large, but nothing is wrong with it. */
export const deepNestingBeside = body(({ answer }) => answer.body.replace(/\}\s*$/, `,"deep":${deep}}`));

/** A page whose parts are changed. */
export function page(change: (parts: ReadPage) => object): Act {
  return body(({ answer }) => JSON.stringify(change(pageOf(answer))));
}

/** The pagination object with some members changed; undefined: they cannot be changed here. */
export function pagination(change: (scene: Scene) => Record<string, unknown> | undefined): Act {
  return (scene) => {
    const members = change(scene);
    if (members === undefined) return false;
    const { body: right } = scene.answer;
    const changed = { ...pageOf(scene.answer).metadata.pagination, ...members };
    // the items stay as they are, to the byte
    const wrong = right.replace(paginationText, () => `"pagination":${JSON.stringify(changed)}`);
    if (wrong === right) return false;
    scene.deliver({ ...scene.answer, body: wrong });
    return true;
  };
}
