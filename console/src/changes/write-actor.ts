import { type ActorView, plainAuthors } from '../../../src/admin/audit/actor-contract.ts'
import { t } from '../language/language.ts'

/** The author of a record or a version in the language of the page. */
export function writeAuthor({ author }: Pick<ActorView, 'author'>): string {
  switch (author.type) {
    case 'user':
      return isOtherAuthor(author.name) ? t('actor.author.user', { name: author.name }) : author.name
    case 'service':
      return t('actor.author.service', { name: author.name })
    default:
      return t(`actor.author.${author.type}`)
  }
}

/**
 * Whether a user's name is the text of an author that is no user. The gateway refuses only the English texts as names.
 */
function isOtherAuthor(name: string): boolean {
  const folded = fold(name)
  const service = fold(t('actor.author.service', { name: '' }))
  return (
    plainAuthors.some((type) => fold(t(`actor.author.${type}`)) === folded) ||
    folded.startsWith(`${service} `)
  )
}

/** The texts of the authors that are no users and no services. */
export function listOtherAuthors(): readonly string[] {
  return plainAuthors.map((type) => t(`actor.author.${type}`))
}

/** The words by which the gateway stores an author that is typed as the page names it. */
export function readAuthor(typed: string): string {
  const folded = fold(typed)
  const type = plainAuthors.find((each) => fold(t(`actor.author.${each}`)) === folded)
  if (type !== undefined) return type === 'reload_signal' ? 'signal SIGHUP' : type.replace('_', ' ')
  const service = `${fold(t('actor.author.service', { name: '' }))} `
  if (folded.startsWith(service)) return `service ${typed.trim().slice(service.length)}`
  const user = `${fold(t('actor.author.user', { name: '' }))} `
  const name = typed.trim().slice(user.length)
  return folded.startsWith(user) && isOtherAuthor(name) ? name : typed
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase().replaceAll(/ +/g, ' ')
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
