import { createCatalog } from '../../catalog/create-catalog.ts'
import type { Config } from '../config.ts'

/** A summary such as `3 channels, 12 models, 2 keys`. */
export function summarizeConfig({ channels, models, keys }: Config): string {
  const catalog = createCatalog({ channels, entries: models, lists: new Map(), createdAtSeconds: 0 })
  const listing = channels.filter((channel) => channel.models.type === 'listed').length
  const listed =
    listing === 0
      ? ''
      : ` and those that ${countNoun(listing, 'channel')} ${listing === 1 ? 'lists' : 'list'}`
  return `${countNoun(channels.length, 'channel')}, ${countNoun(catalog.models.length, 'model')}${listed}, ${countNoun(keys.length, 'key')}`
}

/** A count with its noun, such as `1 key` and `2 keys`. */
export function countNoun(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
