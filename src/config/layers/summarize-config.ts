import { createCatalog } from '../../catalog/create-catalog.ts'
import type { Config } from '../config.ts'

/** A summary such as `3 channels, 12 models, 2 keys`. */
export function summarizeConfig({ channels, models, keys }: Config): string {
  const catalog = createCatalog({ channels, entries: models, lists: new Map(), createdAtSeconds: 0 })
  const listing = channels.filter((channel) => channel.models.type === 'listed').length
  const listed =
    listing === 0 ? '' : ` and those that ${countOf(listing, 'channel')} ${listing === 1 ? 'lists' : 'list'}`
  return `${countOf(channels.length, 'channel')}, ${countOf(catalog.models.length, 'model')}${listed}, ${countOf(keys.length, 'key')}`
}

/** An amount with its noun, such as `1 key` and `2 keys`. */
export function countOf(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
