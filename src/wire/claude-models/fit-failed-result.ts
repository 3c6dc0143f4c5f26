import type { TextBlock, ToolResultBlock, ToolResultContent } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'
import { saysError } from '../fields/says-error.ts'

const FAILED: TextBlock = { type: 'text', text: 'Error' }

/**
 * The result of a failed tool as Claude accepts it. A failed result without words gets one ("content cannot be empty if
 * `is_error` is true", github.com/jlevy/markform/issues/153; the same on Bedrock, seen 2026-11-30).
 */
export function fillFailedResult(result: ToolResultBlock, losses: LossList): ToolResultBlock {
  if (!result.isError || !result.content.every(isBlank)) return result
  losses.lose('tool-result-content', 'defaulted')
  const [first = FAILED] = result.content
  return { ...result, content: [{ ...first, ...FAILED }] }
}

/**
 * Writes the mark of a failed result as a word where the result has more than text ("all content must be type 'text' if
 * 'is_error' is true", github.com/vellum-ai/vellum-assistant/pull/18387, seen 2026-11-30).
 */
export function sayFailure(result: ToolResultBlock, losses: LossList): ToolResultBlock {
  const { isError, content } = result
  if (!isError || !content.some(({ type }) => refused.has(type))) return result
  losses.lose('tool-result-error', 'approximated')
  const [first] = content
  const isSaid = first?.type === 'text' && saysError(first.text)
  return { ...result, isError: false, content: isSaid ? content : [FAILED, ...content] }
}

const refused: ReadonlySet<ToolResultContent['type']> = new Set(['image', 'document', 'search-result'])

function isBlank(block: ToolResultContent): boolean {
  return block.type === 'text' && block.text.trim() === ''
}
