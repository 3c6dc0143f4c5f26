import type { FormatId } from '../../src/canonical/format.ts'
import { type AgentTask, playTurn } from './agent/agent-script.ts'
import { type AgentUsage, type Conversation, Refusal } from './agent/conversation.ts'
import { readStrictly, type Speech, speeches, writeAnswer } from './agent/speech.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
} from './scripted-upstream.ts'

/** One request, in the order of arrival, and what became of it. */
export interface AgentExchange {
  readonly request: RecordedRequest
  readonly status: number
  /** Undefined where the request was answered. */
  readonly refusal: string | undefined
  readonly conversation: Conversation | undefined
  readonly usage: AgentUsage | undefined
}

export interface AgentUpstream extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string
  readonly exchanges: readonly AgentExchange[]
}

/** `first-stream-cut`: the connection breaks in the middle of the first answer. */
export type AgentFault = 'none' | 'first-stream-cut'

/**
 * A real HTTP server that speaks one format alone, refuses what the real service refuses, and plays a model that reads
 * two files in one step and writes a third.
 */
export async function openAgentUpstream(
  format: FormatId,
  task: AgentTask,
  fault: AgentFault = 'none',
): Promise<AgentUpstream> {
  const speech = speeches[format]
  const exchanges: AgentExchange[] = []
  const server = await openScriptedUpstream((request, index) => {
    const { exchange, answer } = answerRequest(request, { speech, task, id: `agent${index}` })
    exchanges.push(exchange)
    return index === 0 && fault === 'first-stream-cut' ? cutInTheMiddle(answer) : answer
  })
  return { origin: server.origin, exchanges, [Symbol.asyncDispose]: () => server.close() }
}

function answerRequest(
  request: RecordedRequest,
  { speech, task, id }: { readonly speech: Speech; readonly task: AgentTask; readonly id: string },
): { readonly exchange: AgentExchange; readonly answer: ScriptedAnswer } {
  try {
    const conversation = readStrictly(speech, request)
    const turn = playTurn(conversation, task)
    const usage = countUsage(request, JSON.stringify(turn), speech.countsCacheWrites)
    const answer = writeAnswer(speech, { ...turn, id, usage }, conversation)
    return { exchange: { request, status: 200, refusal: undefined, conversation, usage }, answer }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, message } = error
    const exchange = { request, status, refusal: message, conversation: undefined, usage: undefined }
    return { exchange, answer: jsonAnswer(speech.writeError(error), status) }
  }
}

function cutInTheMiddle({ chunks = [], ...answer }: ScriptedAnswer): ScriptedAnswer {
  return { ...answer, chunks: chunks.slice(0, chunks.length / 2), ending: 'reset' }
}

/** A plausible count with every class in it that the format has. */
function countUsage({ body }: RecordedRequest, output: string, countsCacheWrites: boolean): AgentUsage {
  const input = Math.ceil(body.length / 4)
  const cacheRead = Math.floor(input / 2)
  const cacheWrite = countsCacheWrites ? Math.floor(input / 4) : 0
  return {
    freshInput: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: Math.ceil(output.length / 4),
  }
}
