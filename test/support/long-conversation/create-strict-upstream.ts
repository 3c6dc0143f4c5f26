import { Refusal } from '../agent/conversation.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer } from '../scripted-upstream.ts'
import { fieldsOf } from '../second-reader/meaning.ts'
import { Account } from '../strict-upstream/account.ts'
import { type ChatReasoning, checkChatRequest } from '../strict-upstream/check-chat-request.ts'
import { checkCohereRequest } from '../strict-upstream/check-cohere-request.ts'
import { checkConverseRequest } from '../strict-upstream/check-converse-request.ts'
import { checkGeminiRequest } from '../strict-upstream/check-gemini-request.ts'
import { checkMessagesRequest } from '../strict-upstream/check-messages-request.ts'
import { checkResponsesRequest } from '../strict-upstream/check-responses-request.ts'
import type { SaidBlock, SaidTurn, StrictRequest } from '../strict-upstream/strict-request.ts'
import { writeChatTurn } from '../strict-upstream/write-chat-turn.ts'
import { writeCohereTurn } from '../strict-upstream/write-cohere-turn.ts'
import { writeConverseTurn } from '../strict-upstream/write-converse-turn.ts'
import { writeGeminiTurn } from '../strict-upstream/write-gemini-turn.ts'
import { writeMessagesTurn } from '../strict-upstream/write-messages-turn.ts'
import { writeResponsesTurn } from '../strict-upstream/write-responses-turn.ts'
import type { PlannedBlock, PlannedTurn } from './plan-conversation.ts'

/** `details` is the chat format with `reasoning_details`, as OpenRouter speaks it; `content` with its words alone. */
export type UpstreamKind =
  | 'chat'
  | 'details'
  | 'content'
  | 'messages'
  | 'responses'
  | 'gemini'
  | 'converse'
  | 'cohere'

export interface StrictUpstream {
  readonly script: (request: RecordedRequest) => ScriptedAnswer
  /** The requests that it took. */
  readonly taken: readonly AcceptedRequest[]
  readonly refusals: readonly string[]
}

export interface AcceptedRequest {
  readonly request: StrictRequest
  /** The turn that it was answered with. */
  readonly turn: number
  /** The proofs in the answer. */
  readonly proved: readonly string[]
}

export interface UpstreamTerms {
  readonly kind: UpstreamKind
  readonly accountName?: string
  readonly plan: readonly PlannedTurn[]
  /** The position of the next turn, where several upstreams share a plan. */
  readonly position?: { turn: number }
}

/** An upstream that goes through a plan, turn by turn, and takes nothing that breaks a rule of its format. */
export function createStrictUpstream(terms: UpstreamTerms): StrictUpstream {
  const { kind, plan, position = { turn: 0 }, accountName = 'first' } = terms
  const account = new Account(accountName)
  const speech = speeches[kind]
  const taken: AcceptedRequest[] = []
  const refusals: string[] = []
  return {
    taken,
    refusals,
    script({ body, headers, path }) {
      try {
        const betas = String(headers['anthropic-beta'] ?? '')
        const request = speech.check(JSON.parse(body.toString('utf8')), { account, betas, path })
        const planned = plan[position.turn]
        if (planned === undefined) throw new Refusal('the plan has no further turn')
        const before = account.proofs.length
        const said = nameCalls(planned.blocks, kind, `${accountName}${position.turn}`)
        const answer = joinChunks(speech.write(said, { request, account }))
        taken.push({ request, turn: position.turn, proved: account.proofs.slice(before) })
        position.turn += 1
        return answer
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refusals.push(`turn ${position.turn}: ${error.message}`)
        const { message, details } = error
        const type = 'invalid_request_error'
        return jsonAnswer({ type: 'error', error: { type, message, ...fieldsOf(details) } }, 400)
      }
    },
  }
}

interface Speech {
  check(body: unknown, terms: CheckTerms): StrictRequest
  write(turn: SaidTurn, terms: { readonly request: StrictRequest; readonly account: Account }): ScriptedAnswer
}

interface CheckTerms {
  readonly account: Account
  readonly betas: string
  readonly path: string
}

function chatSpeech(reasoning: ChatReasoning): Speech {
  return {
    check: (body, { account }) => checkChatRequest(body, { account, reasoning }),
    write: (turn, terms) => writeChatTurn(turn, { ...terms, reasoning }),
  }
}

const speeches: Readonly<Record<UpstreamKind, Speech>> = {
  chat: chatSpeech('hidden'),
  details: chatSpeech('details'),
  content: chatSpeech('content'),
  messages: { check: checkMessagesRequest, write: writeMessagesTurn },
  responses: {
    check: (body, { account }) => checkResponsesRequest(body, account),
    write: writeResponsesTurn,
  },
  gemini: {
    check(body, { account, path }) {
      const model = /models\/([^:]+):/.exec(path)?.[1] ?? ''
      return checkGeminiRequest(body, { account, model, isStream: path.includes(':stream') })
    },
    write: writeGeminiTurn,
  },
  cohere: { check: checkCohereRequest, write: writeCohereTurn },
  converse: {
    check(body, { account, path }) {
      const model = decodeURIComponent(/model\/([^/]+)\//.exec(path)?.[1] ?? '')
      return checkConverseRequest(body, { account, model, isStream: path.endsWith('-stream') })
    },
    write: writeConverseTurn,
  },
}

const idPrefixes: Readonly<Record<UpstreamKind, string>> = {
  chat: 'call_',
  details: 'call_',
  content: 'call_',
  messages: 'toolu_',
  responses: 'call_',
  gemini: 'fc-',
  converse: 'tooluse_',
  cohere: 'name_',
}

function nameCalls(blocks: readonly PlannedBlock[], kind: UpstreamKind, id: string): SaidTurn {
  return {
    id,
    blocks: blocks.map(
      (block, place): SaidBlock =>
        block.type === 'call' ? { ...block, id: `${idPrefixes[kind]}${id}x${place}` } : block,
    ),
  }
}

/** One piece in all: how bytes are cut is the matter of other tests. */
function joinChunks(answer: ScriptedAnswer): ScriptedAnswer {
  const chunks = (answer.chunks ?? []).flatMap((chunk) =>
    chunk instanceof Promise ? [] : [Buffer.from(chunk)],
  )
  return { ...answer, chunks: [Buffer.concat(chunks)] }
}
