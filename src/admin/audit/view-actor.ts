import type { Actor } from '../../canonical/audit.ts'
import type { ActorView, AuthorFact, plainAuthors, plainCredentials } from './actor-contract.ts'

type PlainAuthor = (typeof plainAuthors)[number]
type PlainCredential = (typeof plainCredentials)[number]

/** Authors that are no person and no service, in the words of the records, with the credential of such a record. */
const authors: readonly (readonly [words: string, credentials: readonly string[], type: PlainAuthor])[] = [
  ['admin token', ['admin token'], 'admin_token'],
  ['command line', ['data folder'], 'command_line'],
  ['configuration file', [], 'configuration_file'],
  ['first start', [], 'first_start'],
  ['identity provider', ['claims', 'single sign-on'], 'identity_provider'],
  ['signal SIGHUP', [], 'reload_signal'],
]

const credentials: ReadonlyMap<string, PlainCredential> = new Map([
  ['session', 'session'],
  ['admin token', 'admin_token'],
  ['data folder', 'data_folder'],
  ['claims', 'claims'],
  ['link', 'link'],
  ['single sign-on', 'single_sign_on'],
  ['password', 'password'],
  ['password, code', 'password_and_code'],
  ['password, recovery code', 'password_and_recovery_code'],
])

/**
 * Reads the words of a record, which are stored and never rewritten. A user may have any name, such as `command line`,
 * so the credential decides. Older records have no credential.
 */
export function viewActor({ author, credential, address }: Actor): ActorView {
  return {
    author: readAuthor(author, credential),
    credential: readCredential(credential),
    is_this_machine: address === 'this machine',
  }
}

/** Reads the author of an object, which has no record of the credential. */
export function viewAuthor(author: string): AuthorFact {
  const [, service] = /^service (.+)$/.exec(author) ?? []
  return service === undefined ? readAuthor(author, '') : { type: 'service', name: service }
}

function readAuthor(author: string, credential: string): AuthorFact {
  const known = authors.find(
    ([words, presented]) => words === author && (credential === '' || presented.includes(credential)),
  )
  if (known !== undefined) return { type: known[2] }
  const [, service] = /^service (.+)$/.exec(author) ?? []
  if (service !== undefined && credential === `token "${service}"`) return { type: 'service', name: service }
  return { type: 'user', name: author }
}

function readCredential(credential: string): ActorView['credential'] {
  if (credential === '') return null
  const type = credentials.get(credential)
  if (type !== undefined) return { type }
  const [, name] = /^token "(.*)"$/.exec(credential) ?? []
  return name === undefined ? { type: 'text', text: credential } : { type: 'token', name }
}
