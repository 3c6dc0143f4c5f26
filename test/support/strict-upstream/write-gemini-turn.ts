import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../scripted-upstream.ts'
import type { SaidBlock, SaidTurn } from './strict-request.ts'
import type { TurnTerms } from './write-messages-turn.ts'

type Part = Readonly<Record<string, unknown>>

/**
 * An answer in the Gemini format, whole or streamed as it was asked for. As Gemini 3 does it, the first call is signed,
 * or where nothing is called the last part; in a stream the latter comes in a part of its own.
 */
export function writeGeminiTurn(turn: SaidTurn, { request, account }: TurnTerms): ScriptedAnswer {
  const words = turn.blocks.map((block) => (block.type === 'call' ? block.id : block.text)).join('\n')
  const thoughtSignature = account.prove(words, turn.id)
  const parts = turn.blocks.flatMap(writePart)
  const position = parts.findIndex((part) => part['functionCall'] !== undefined)
  const signedAt = position === -1 ? parts.length - 1 : position
  const signed = parts.map((part, index) => (index === signedAt ? { ...part, thoughtSignature } : part))
  const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 }
  const answer = (more: readonly Part[], finishReason?: string) => ({
    candidates: [
      {
        content: { role: 'model', parts: more },
        index: 0,
        ...(finishReason === undefined ? {} : { finishReason }),
      },
    ],
    usageMetadata,
    modelVersion: request.model,
    responseId: turn.id,
  })
  if (!request.isStream) return jsonAnswer(answer(signed, 'STOP'))
  const pieces = signed.flatMap(splitPart)
  return sseAnswer(
    pieces.map((part, index) => {
      const isLast = index === pieces.length - 1
      return `data: ${JSON.stringify(answer([part], isLast ? 'STOP' : undefined))}\r\n\r\n`
    }),
  )
}

function writePart(block: SaidBlock): readonly Part[] {
  switch (block.type) {
    case 'thought':
      return block.isHidden ? [] : [{ text: block.text, thought: true }]
    case 'text':
      return [{ text: block.text }]
    case 'call':
      return [{ functionCall: { id: block.id, name: block.name, args: block.input } }]
  }
}

function splitPart(part: Part): readonly Part[] {
  const { text, thoughtSignature, ...more } = part
  if (typeof text !== 'string') return [part]
  const pieces = splitText(text).map((piece): Part => ({ ...more, text: piece }))
  return thoughtSignature === undefined ? pieces : [...pieces, { ...more, text: '', thoughtSignature }]
}
