import { splitText } from '../agent/split-text.ts'
import { jsonAnswer, type ScriptedAnswer } from '../scripted-upstream.ts'
import { writeEvent } from '../write-event-stream.ts'
import type { SaidBlock, SaidTurn } from './strict-request.ts'
import type { TurnTerms } from './write-messages-turn.ts'

type Block = Readonly<Record<string, unknown>>

const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }

/** An answer in the Converse format, whole or streamed as it was asked for. */
export function writeConverseTurn(turn: SaidTurn, terms: TurnTerms): ScriptedAnswer {
  const stopReason = turn.blocks.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn'
  const proofs = turn.blocks.map((block, index) => proveBlock(block, `${turn.id}.${index}`, terms))
  if (!terms.request.isStream) {
    const content = turn.blocks.flatMap((block, index) => writeBlock(block, proofs[index]))
    const output = { message: { role: 'assistant', content } }
    return jsonAnswer({ output, stopReason, usage, metrics: { latencyMs: 1 } })
  }
  const reported = turn.blocks
    .map((block, index) => ({ block, proof: proofs[index] }))
    .filter(({ block, proof }) => block.type !== 'thought' || proof !== undefined)
  return {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    chunks: [
      writeEvent('messageStart', { role: 'assistant' }),
      ...reported.flatMap(({ block, proof }, index) => writeEvents(block, index, proof)),
      writeEvent('messageStop', { stopReason }),
      writeEvent('metadata', { usage, metrics: { latencyMs: 1 } }),
    ],
  }
}

function proveBlock(block: SaidBlock, position: string, { request, account }: TurnTerms): string | undefined {
  return block.type === 'thought' && request.wantsThinking ? account.prove(block.text, position) : undefined
}

function writeBlock(block: SaidBlock, proof: string | undefined): readonly Block[] {
  switch (block.type) {
    case 'text':
      return [{ text: block.text }]
    case 'call':
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: block.input } }]
    case 'thought':
      if (proof === undefined) return []
      return block.isHidden
        ? [{ reasoningContent: { redactedContent: proof } }]
        : [{ reasoningContent: { reasoningText: { text: block.text, signature: proof } } }]
  }
}

function writeEvents(
  block: SaidBlock,
  contentBlockIndex: number,
  proof: string | undefined,
): readonly Buffer[] {
  const delta = (value: object) => writeEvent('contentBlockDelta', { contentBlockIndex, delta: value })
  const stop = writeEvent('contentBlockStop', { contentBlockIndex })
  switch (block.type) {
    case 'text':
      return [...splitText(block.text).map((text) => delta({ text })), stop]
    case 'call': {
      const { id: toolUseId, name, input } = block
      return [
        writeEvent('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }),
        ...splitText(JSON.stringify(input)).map((piece) => delta({ toolUse: { input: piece } })),
        stop,
      ]
    }
    case 'thought':
      if (block.isHidden) return [delta({ reasoningContent: { redactedContent: proof } }), stop]
      return [
        ...splitText(block.text).map((text) => delta({ reasoningContent: { text } })),
        delta({ reasoningContent: { signature: proof } }),
        stop,
      ]
  }
}
