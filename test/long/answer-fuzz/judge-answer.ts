import { errorRow } from '../../../src/canonical/error-table.ts'
import { type RawAnswer, readAnswer } from '../../support/judge.ts'
import type { AskedOf, CallerAnswer } from './open-subject.ts'
import type { Spoilt } from './spoil.ts'
import type { FuzzAnswer } from './write-answer.ts'

/** One case: what the upstream meant to say, and how that was spoilt. */
export interface SpoiltAnswer {
  readonly asked: AskedOf
  readonly answer: FuzzAnswer
  readonly spoilt: Spoilt
}

/** The fault of what the caller got; undefined where there is none. */
export function judgeAnswer(
  given: SpoiltAnswer,
  { outcome, text, isEnded }: CallerAnswer,
): string | undefined {
  if (outcome.type === 'caller-gone') return 'ended as if the caller had left'
  if (outcome.type === 'answered') return isEnded ? compare(given, text) : 'never ended'
  const { failure } = outcome
  const { status, blame } = errorRow(failure.code)
  if (blame === 'gateway') return `a fault of our own: ${failure.code}`
  if (status >= 500 && status !== 502 && status !== 504 && !isOfUpstream(failure.code))
    return `status ${status}: ${failure.code}`
  return isEnded ? 'ended well in spite of a failure' : undefined
}

/** A 503 that the spoilt answer itself states. One of our own is wrong: no case comes near our bounds. */
function isOfUpstream(code: string): boolean {
  return code.startsWith('upstream_')
}

function compare({ asked, answer, spoilt }: SpoiltAnswer, text: string): string | undefined {
  const said = readSaid(asked, text)
  if (said === undefined && spoilt.statesError && asked.caller === asked.channel) return undefined
  if (said === undefined) return `the caller gets no answer of its format: ${text.slice(0, 300)}`
  // In its own format a caller gets a repeated event unchanged.
  const { repeats, repeatedWords } = spoilt
  const again = asked.caller === asked.channel ? repeats : repeatedWords
  for (const [index, { words, type }] of answer.blocks.entries()) {
    const allowed = 1 + (again.get(index) ?? 0)
    for (const word of words) {
      const times = said.split(word).length - 1
      if (times > allowed) return `${word} of a ${type} was said ${times} times`
      if (times === 0 && !spoilt.damaged.has(index)) return `${word} of a ${type} was lost`
    }
  }
  return undefined
}

/** All that the answer says, by a reader that knows nothing of the product. */
function readSaid({ caller, isStream }: AskedOf, body: string): string | undefined {
  try {
    const { text, thinking, refusal, toolCalls, error } = readAnswer(rawAnswerOf({ caller, isStream }, body))
    if (error !== undefined) return undefined
    const calls = toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`)
    return [text, thinking, refusal, ...calls].join('\n')
  } catch {
    return undefined
  }
}

function rawAnswerOf({ caller, isStream }: Pick<AskedOf, 'caller' | 'isStream'>, body: string): RawAnswer {
  if (caller === 'ollama-chat') return { format: 'ollama', body, isStream }
  if (caller !== 'bedrock-converse') return { format: caller, body, isStream }
  // The reader wants each event as an object under the event's name.
  const wrapped = body.replaceAll(/^event: (\S+)\ndata: (.*)$/gm, 'data: {"$1":$2}')
  return { format: 'converse', body: wrapped, isStream }
}
