import { doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { Refusal } from '../../../support/agent/conversation.ts'
import type { AgentFormat } from '../../../support/agent/speech.ts'
import { speeches } from '../../../support/agent/speech.ts'
import type { ScriptedAnswer } from '../../../support/scripted-upstream.ts'
import { failureOf } from '../failure-of.ts'
import type { FrameworkScenario, Subject } from '../framework-scenario.ts'
import { readClientError } from '../read-client-error.ts'

const words = 'Half of this is all that ever comes, and nobody may take it for the whole.'
const complaint = 'The model fell over.'

/** The connection breaks in the middle of the answer; the client shows the words that end the stream. */
export const cut: FrameworkScenario = {
  name: 'cut',
  async run(subject) {
    const failure = await failHalfway(subject, ({ chunks = [], ...answer }) => ({
      ...answer,
      chunks: chunks.slice(0, chunks.length / 2),
      ending: 'reset',
    }))
    match(failure.words, /closed the connection before the answer was complete/)
  },
}

/**
 * The connection breaks in the middle of an answer that is no stream. The client asks again, or says that it failed.
 */
export const wholeCut: FrameworkScenario = {
  name: 'whole cut',
  async run({ open }) {
    await using bench = await open((_heard, index) =>
      index === 0 ? { text: words, alter: cutWhole } : { text: words },
    )
    const [outcome] = await Promise.allSettled([bench.client.ask('Hello')])
    if (outcome.status === 'fulfilled') equal(outcome.value.text, words)
    else match(readClientError(outcome.reason).words, /closed|terminated/)
  },
}

function cutWhole({ chunks = [], headers = {} }: ScriptedAnswer): ScriptedAnswer {
  const whole = String(chunks[0])
  const length = String(Buffer.byteLength(whole))
  return {
    headers: { ...headers, 'content-length': length },
    chunks: [whole.slice(0, whole.length / 2)],
    ending: 'reset',
  }
}

/** The upstream says in the middle of the answer that it failed; the caller gets the gateway's words for that. */
export const streamError: FrameworkScenario = {
  name: 'stream error',
  async run(subject) {
    const failure = await failHalfway(subject, ({ chunks = [], ...answer }) => ({
      ...answer,
      chunks: [...chunks.slice(0, chunks.length / 2), errorFrame(subject.channelFormat)],
    }))
    match(failure.words, /The model provider failed\./)
    doesNotMatch(failure.words, new RegExp(complaint))
  },
}

async function failHalfway({ open }: Subject, alter: (answer: ScriptedAnswer) => ScriptedAnswer) {
  await using bench = await open(() => ({ text: words, alter }))
  let received = ''
  const failure = await failureOf(
    bench.client.stream('Go on.', {
      signal: new AbortController().signal,
      onText(piece) {
        received += piece
      },
    }),
  )
  ok(received !== '' && words.startsWith(received), `received other words: ${received}`)
  ok(received.length < words.length, 'received all of it')
  return failure
}

function errorFrame(format: AgentFormat): string {
  const data = JSON.stringify(speeches[format].writeError(new Refusal(complaint, { status: 500 })))
  return format === 'chat' ? `data: ${data}\n\n` : `event: error\ndata: ${data}\n\n`
}
