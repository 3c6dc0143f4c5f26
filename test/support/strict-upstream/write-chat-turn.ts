import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'
import type { Account } from './account.ts'
import type { ChatReasoning } from './check-chat-request.ts'
import type { SaidBlock, SaidTurn, StrictRequest } from './strict-request.ts'

export interface ChatTurnTerms {
  readonly request: StrictRequest
  readonly account: Account
  readonly reasoning: ChatReasoning
}

const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }

/** An answer in the chat format, whole or streamed as it was asked for. */
export function writeChatTurn(turn: SaidTurn, terms: ChatTurnTerms): ScriptedAnswer {
  const { request } = terms
  return request.isStream ? sseAnswer(writeFrames(turn, terms)) : jsonAnswer(writeReply(turn, terms))
}

function writeReply(turn: SaidTurn, terms: ChatTurnTerms): object {
  const calls = callsOf(turn).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const text = textsOf(turn).join('')
  const details = detailsOf(turn, terms)
  const words = wordsOf(turn, terms)
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(details.length === 0
      ? {}
      : { reasoning: details.map((detail) => detail['text'] ?? '').join(''), reasoning_details: details }),
    ...(words === undefined ? {} : { reasoning_content: words }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(turn) }]
  return { ...headOf(turn, terms), object: 'chat.completion', choices, usage }
}

function writeFrames(turn: SaidTurn, terms: ChatTurnTerms): readonly string[] {
  const head = { ...headOf(turn, terms), object: 'chat.completion.chunk' }
  const chunk = (more: object) => `data: ${JSON.stringify({ ...head, ...more })}\n\n`
  const delta = (value: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }] })
  const words = wordsOf(turn, terms)
  const thoughts = detailsOf(turn, terms).flatMap((detail) =>
    piecesOf(detail).map((piece) => delta({ reasoning: piece['text'] ?? '', reasoning_details: [piece] })),
  )
  const calls = callsOf(turn).flatMap(({ id, name, input }, index) => [
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...splitText(JSON.stringify(input)).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  return [
    delta({ role: 'assistant', content: '' }),
    ...thoughts,
    ...(words === undefined ? [] : ['', ...splitText(words)]).map((piece) =>
      delta({ reasoning_content: piece }),
    ),
    ...textsOf(turn)
      .flatMap(splitText)
      .map((content) => delta({ content })),
    ...calls,
    delta({}, finishOf(turn)),
    ...(terms.request.wantsStreamUsage ? [chunk({ choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ]
}

/** All thoughts that are shown, in one; a service that shows them says so where there were none. */
function wordsOf(
  { id, blocks }: SaidTurn,
  { request, account, reasoning }: ChatTurnTerms,
): string | undefined {
  if (reasoning !== 'content' || !request.wantsThinking) return undefined
  const words = blocks
    .map((block) => (block.type === 'thought' && !block.isHidden ? block.text : ''))
    .join('')
  if (words !== '') account.prove(words, id)
  return words
}

type Detail = Readonly<Record<string, unknown>>

function detailsOf({ id, blocks }: SaidTurn, { request, account, reasoning }: ChatTurnTerms): Detail[] {
  if (reasoning !== 'details' || !request.wantsThinking) return []
  return blocks
    .filter((block) => block.type === 'thought')
    .map(({ text, isHidden }, index) => {
      const own = { format: 'anthropic-claude-v1', index }
      const position = `${id}.${index}`
      if (isHidden) return { type: 'reasoning.encrypted', data: account.prove(text, position), ...own }
      return { type: 'reasoning.text', text, signature: account.prove(text, position), ...own }
    })
}

/** The words in pieces, their signature after them. */
function piecesOf(detail: Detail): readonly Detail[] {
  const { text, signature, ...own } = detail
  if (typeof text !== 'string') return [detail]
  return [...splitText(text).map((piece) => ({ ...own, text: piece })), { ...own, text: '', signature }]
}

function headOf({ id }: SaidTurn, { request }: ChatTurnTerms): object {
  return { id: `chatcmpl-${id}`, created: 1_790_000_000, model: request.model }
}

function textsOf({ blocks }: SaidTurn): readonly string[] {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

function callsOf({ blocks }: SaidTurn): Extract<SaidBlock, { readonly type: 'call' }>[] {
  return blocks.filter((block) => block.type === 'call')
}

function finishOf(turn: SaidTurn): string {
  return callsOf(turn).length === 0 ? 'stop' : 'tool_calls'
}
