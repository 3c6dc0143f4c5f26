import type { Connection } from '../framework.ts'

/** A library that does more than hold conversations, used as its own documentation says. */
export interface MediaClient {
  /** Each does one thing and fails where the answer is not what it should be. */
  readonly tasks: Readonly<Record<string, (connection: Connection) => Promise<void>>>
}

/** Fails with what was seen, where it is not so. */
export function expectThat(isSo: boolean, what: string, seen: unknown): void {
  if (!isSo) throw new Error(`${what}: ${JSON.stringify(seen)?.slice(0, 200)}`)
}

/** The demo provider ranks by its vectors. */
export const RANKING_MODEL = 'demo-embed'
export const query = 'the capital of Austria'
export const documents = ['Bread is baked.', 'Vienna is the capital of Austria.', 'Rivers run to the sea.']
