import { findText, t } from '../language/language.ts'

/** A channel's credential as the gateway numbers it, such as `openai#2`, shown next to the channel's name. */
export function nameCredential(id: string): string {
  const [, number] = /#(\d+)$/.exec(id) ?? []
  return number === undefined ? id : t('name.credential', { number })
}

/** The name of a key. The gateway sends some requests under keys of its own. */
export function nameKey(name: string): string {
  const [, own] = /^internal:(.+)$/.exec(name) ?? []
  return (own === undefined ? undefined : findText(`name.key.${own}`)) ?? name
}
