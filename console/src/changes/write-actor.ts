import type { ActorView } from '../../../src/admin/audit/actor-contract.ts'
import { t } from '../language/language.ts'

/** The author of a record or a version in the language of the page. */
export function writeAuthor({ author }: Pick<ActorView, 'author'>): string {
  switch (author.type) {
    case 'user':
      return author.name
    case 'service':
      return t('actor.author.service', { name: author.name })
    default:
      return t(`actor.author.${author.type}`)
  }
}

/** The credential that the author has presented. Undefined if none was asked for. */
export function writeCredential({ credential }: Pick<ActorView, 'credential'>): string | undefined {
  if (credential === null) return undefined
  switch (credential.type) {
    case 'text':
      return credential.text
    case 'token':
      return t('actor.credential.token', { name: credential.name })
    default:
      return t(`actor.credential.${credential.type}`)
  }
}
