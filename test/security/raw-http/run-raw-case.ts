import { chat, chatBody, type RawCase } from './raw-case.ts'
import { type RawAnswer, readAnswers } from './read-answers.ts'
import { talk } from './talk.ts'

export interface RawOutcome {
  readonly answers: readonly string[]
  readonly after: 'open' | 'closed'
  readonly firstFinal: RawAnswer | undefined
}

let count = 0

/** A sound request that nothing else looks like, and the words its answer must hold. */
export function makeMarker(): { readonly bytes: string; readonly words: string } {
  count += 1
  const words = `MARKER-${count}`
  return { words, bytes: chat({ headers: ['connection: close'], body: chatBody(words) }) }
}

/**
 * Sends a case and, in the same breath, a sound request that asks for the connection's end. Every answer that comes is
 * counted, so that one too many, one too few or one for the wrong request shows.
 */
export async function runRawCase(port: number, { bytes, isHead }: RawCase): Promise<RawOutcome> {
  const marker = makeMarker()
  const { text, isHanging } = await talk(port, bytes + marker.bytes)
  if (isHanging) throw new Error(`the connection hangs after ${JSON.stringify(text.slice(0, 300))}`)
  const all = isHead === true ? readHeadAnswers(text) : readAnswers(text)
  const isMarked = (answer: RawAnswer) => answer.body.includes(marker.words)
  const own = all.filter((answer) => !isMarked(answer))
  const last = all.at(-1)
  if (all.filter(isMarked).length > 1 || (all.some(isMarked) && !(last !== undefined && isMarked(last)))) {
    throw new Error('the request that follows was answered at the wrong place')
  }
  return {
    answers: own.map(describe),
    after: all.some(isMarked) ? 'open' : 'closed',
    firstFinal: own.find(({ status }) => status >= 200),
  }
}

/** The first answer has no body; the marker's has. */
function readHeadAnswers(text: string): readonly RawAnswer[] {
  const second = text.indexOf('\r\n\r\n') + 4
  return [...readAnswers(text.slice(0, second), true), ...readAnswers(text.slice(second))]
}

function describe({ status, body }: RawAnswer): string {
  const code = /"code":"(\w+)"/.exec(body)?.[1]
  return code === undefined ? String(status) : `${status} ${code}`
}
