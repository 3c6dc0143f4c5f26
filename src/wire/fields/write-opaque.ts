import type { OpaqueBlock } from '../../canonical/content.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json/json.ts'

/** Writes a block that only one format has. That format gets it unchanged; any other format loses it. */
export function writeOpaque(
  block: OpaqueBlock,
  format: ChannelFormatId,
  losses: LossList,
): JsonObject | undefined {
  return block.format === format ? block.value : loseOpaque(block, losses)
}

/** Declares the block lost, under its name or its kind. */
export function loseOpaque({ name, value }: OpaqueBlock, losses: LossList): undefined {
  const kind = name ?? value['type']
  losses.lose('foreign-block', 'dropped', typeof kind === 'string' ? kind : 'unknown')
}

/**
 * Declares a tool that the provider defines or runs lost, under its type. Formats without types name each tool by its
 * field, and one object may hold several.
 */
export function loseHostedTool(value: JsonObject, losses: LossList): undefined {
  const { type } = value
  const names = typeof type === 'string' ? [type] : Object.keys(value)
  for (const name of names.length === 0 ? ['unknown'] : names) losses.lose('foreign-tool', 'dropped', name)
}
