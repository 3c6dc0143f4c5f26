import { type AgentTask, playTurn } from './agent/agent-script.ts'
import { type AgentTurn, type AgentUsage, type Conversation, Refusal } from './agent/conversation.ts'
import { type AgentFormat, readStrictly, type Speech, speeches, writeAnswer } from './agent/speech.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
} from './scripted-upstream.ts'
import { until } from './until.ts'

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
  /** The origin, without a path. */
  readonly origin: string
  readonly exchanges: readonly AgentExchange[]
  /** The exchange that the fault befell, once its half of an answer is sent. */
  readonly stopped: Promise<AgentExchange>
}

/**
 * The fault of the first answer that a task gets: the connection breaks in its middle, or nothing more comes from its
 * middle on.
 */
export type AgentFault = 'none' | 'first-stream-cut' | 'first-stream-hangs'

/**
 * A real HTTP server that speaks one format alone, refuses what the real service refuses, and plays a model that reads
 * two files in one step and writes a third.
 */
export async function openAgentUpstream(
  format: AgentFormat,
  task: AgentTask,
  fault: AgentFault = 'none',
): Promise<AgentUpstream> {
  const speech = speeches[format]
  const exchanges: AgentExchange[] = []
  let isFirst = true
  const { promise: stopped, resolve: stop } = Promise.withResolvers<AgentExchange>()
  const server = await openScriptedUpstream((request, index) => {
    const { exchange, answer } = answerRequest(request, { speech, task, id: `agent${index}` })
    exchanges.push(exchange)
    // Requests without tools, such as for a title, are beside the task.
    if (fault === 'none' || !isFirst || (exchange.conversation?.tools ?? []).length === 0) return answer
    isFirst = false
    const half = stopInTheMiddle(answer, fault)
    void untilSent(request, half).then(() => stop(exchange))
    return half
  })
  return { origin: server.origin, exchanges, stopped, [Symbol.asyncDispose]: () => server.close() }
}

function answerRequest(
  request: RecordedRequest,
  { speech, task, id }: { readonly speech: Speech; readonly task: AgentTask; readonly id: string },
): { readonly exchange: AgentExchange; readonly answer: ScriptedAnswer } {
  try {
    const conversation = readStrictly(speech, request)
    const turn = nameCalls(playTurn(conversation, task), id)
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

/**
 * Names calls so that no two answers have one of the same ID, as with real models: clients tell by it what belongs to a
 * broken answer.
 */
function nameCalls({ text, calls }: AgentTurn, id: string): AgentTurn {
  return { text, calls: calls.map((call) => ({ ...call, id: `${call.id}_${id}` })) }
}

function stopInTheMiddle({ chunks = [], ...answer }: ScriptedAnswer, fault: AgentFault): ScriptedAnswer {
  const ending = fault === 'first-stream-cut' ? 'reset' : 'hang'
  return { ...answer, chunks: chunks.slice(0, chunks.length / 2), ending }
}

async function untilSent({ socket }: RecordedRequest, { chunks = [] }: ScriptedAnswer): Promise<void> {
  const sentBefore = socket.bytesWritten
  const bytes = chunks.reduce(
    (sum, chunk) => sum + (typeof chunk === 'string' ? Buffer.byteLength(chunk) : 0),
    0,
  )
  await until(
    'half of the answer is sent',
    () => socket.bytesWritten - sentBefore > bytes || socket.destroyed,
  )
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
