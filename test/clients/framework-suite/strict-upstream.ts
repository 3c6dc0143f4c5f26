import {
  type AgentTurn,
  type AgentUsage,
  type Conversation,
  Refusal,
} from '../../support/agent/conversation.ts'
import type { AgentFormat } from '../../support/agent/speech.ts'
import { readStrictly, type Speech, speeches, writeAnswer } from '../../support/agent/speech.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from '../../support/scripted-upstream.ts'
import { answerEmbeddings } from './answer-embeddings.ts'

/** A request that the upstream took, in the order of arrival. */
export interface Heard {
  readonly request: RecordedRequest
  readonly conversation: Conversation
  readonly atMs: number
}

/** The behaviour of the upstream for a request of a scenario. */
export interface Played extends Partial<AgentTurn> {
  /** Answers with this error instead. */
  readonly error?: Refusal
  readonly headers?: Readonly<Record<string, string>>
  /** Changes the answer's pieces, such as to hold some of them back. */
  alter?(answer: ScriptedAnswer): ScriptedAnswer
}

/** Says what the next answer is. May throw `Refusal`, which is a failure of the scenario. */
export type Play = (heard: Heard, index: number) => Played

export interface StrictUpstream extends AsyncDisposable {
  readonly server: ScriptedUpstream
  readonly heard: readonly Heard[]
  /** The reasons for refusals of wrong requests. */
  readonly refusals: readonly string[]
}

/** The usage of every answer. */
export function usageOf(format: AgentFormat): AgentUsage {
  const cacheWrite = speeches[format].countsCacheWrites ? 5 : 0
  return { freshInput: 100, cacheRead: 20, cacheWrite, output: 30 }
}

/** A real HTTP server of one format that checks requests as the real service does and answers as the scenario says. */
export async function openStrictUpstream(format: AgentFormat, play: Play): Promise<StrictUpstream> {
  const speech = speeches[format]
  const heard: Heard[] = []
  const refusals: string[] = []
  const answer = (request: RecordedRequest): ScriptedAnswer => {
    if (format === 'chat' && request.path === '/v1/embeddings') return answerEmbeddings(request)
    const said: Heard = { request, conversation: readStrictly(speech, request), atMs: performance.now() }
    heard.push(said)
    return writePlayed({ speech, format, said, id: `strict${heard.length}` }, play(said, heard.length - 1))
  }
  const server = await openScriptedUpstream((request) => {
    try {
      return answer(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // The one refusal that a client of the messages format asks for: it tries held conversations first.
      if (error.details === undefined) refusals.push(error.message)
      return jsonAnswer(speech.writeError(error), error.status)
    }
  })
  return { server, heard, refusals, [Symbol.asyncDispose]: () => server.close() }
}

interface Answering {
  readonly speech: Speech
  readonly format: AgentFormat
  readonly said: Heard
  readonly id: string
}

function writePlayed({ speech, format, said, id }: Answering, played: Played): ScriptedAnswer {
  const { error, headers = {}, text = '', calls = [], alter } = played
  if (error !== undefined) {
    const refused = jsonAnswer(speech.writeError(error), error.status)
    return { ...refused, headers: { ...refused.headers, ...headers } }
  }
  const answer = writeAnswer(speech, { id, text, calls, usage: usageOf(format) }, said.conversation)
  return alter === undefined ? answer : alter(answer)
}
