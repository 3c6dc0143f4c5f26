import type { SystemBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readSystemBlock } from '../blocks/read-block.ts'
import { keepBlock } from '../blocks/read-plain-block.ts'
import { asObject, invalidField } from '../values/read-field.ts'

/** The request's `system` as its first turn; none where it is absent or empty. */
export function readSystem(body: JsonObject): readonly Turn[] {
  const system = body['system']
  if (system === undefined || system === null || system === '') return []
  if (typeof system === 'string') return [systemTurn([{ type: 'text', text: system }])]
  if (!isJsonArray(system)) throw invalidField('system', 'a string or an array of text blocks')
  if (system.length === 0) return []
  return [systemTurn(system.map(readBlock))]
}

/**
 * Claude Code's first block is a header for Anthropic's accounts, which Anthropic takes out before the model sees it
 * (https://code.claude.com/docs/en/llm-gateway-protocol, seen 2026-11-20). To any other model it would be noise, and
 * its text, which is not always the same, would keep what follows out of prefix caches.
 */
const BILLING_HEADER = 'x-anthropic-billing-header'

function readBlock(value: JsonValue, index: number): SystemBlock {
  const path = joinPath('system', index)
  const block = readSystemBlock(value, path)
  if (index > 0 || block.type !== 'text' || !isBillingHeader(block.text)) return block
  return { ...keepBlock(asObject(value, path)), name: BILLING_HEADER }
}

function isBillingHeader(text: string): boolean {
  return text.startsWith(`${BILLING_HEADER}: `) && !text.includes('\n')
}

function systemTurn(content: readonly SystemBlock[]): Turn {
  return { role: 'system', authority: 'system', content }
}
