import type { AlertReceiver } from '../../alerts/receivers/receiver-schema.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { Config } from '../config.ts'
import { earlierSecretsOf } from '../source/environment.ts'
import { isSecretName } from './is-secret-name.ts'

/**
 * The minimum length for a text from a file to be masked in errors. A shorter text is masked only in views, since it
 * may be an ordinary word.
 */
const MIN_FILE_SECRET_CHARACTERS = 8
/** The minimum length for a password to be masked in errors. Masking a shorter one would hide ordinary words. */
const MIN_PASSWORD_CHARACTERS = 6
/** The minimum length for a path to be a secret. A shorter path is an ordinary word. */
const MIN_SECRET_PATH_CHARACTERS = 24

/** Lists every value of a configuration that must never be shown, in all forms in which it may occur. */
export function listSecrets(config: Config): readonly string[] {
  const { channels, keys, alerts, signIn, adminToken, metricsToken, secret } = config
  const own = [adminToken, metricsToken, secret].filter((value) => value !== undefined)
  return [
    ...own,
    ...earlierSecretsOf(config),
    ...config.file.fileTexts.filter((text) => text.length >= MIN_FILE_SECRET_CHARACTERS),
    ...keys.map((key) => key.secret),
    ...channels.flatMap(secretsOfChannel),
    ...alerts.receivers.flatMap(secretsOfReceiver),
    ...secretsOfDatabase(config),
    ...secretsOfSignIn(signIn),
  ]
}

function secretsOfChannel({ credentials, headers, proxy, settings = {} }: Channel): readonly string[] {
  return [
    ...credentials.map((credential) => credential.secret),
    ...Object.entries(headers).flatMap(([name, value]) => (isSecretName(name) ? secretsOfHeader(value) : [])),
    ...Object.entries(settings).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
    ...(proxy === undefined ? [] : secretsOfProxy(new URL(proxy))),
  ]
}

/** Lists the password both percent-encoded and decoded. A short password is an ordinary word. */
function secretsOfDatabase({ database }: Pick<Config, 'database'>): readonly string[] {
  const { password = '' } = database ?? {}
  return password.length < MIN_PASSWORD_CHARACTERS ? [] : [password, encodeURIComponent(password)]
}

/**
 * Lists a receiver's secrets. The path of its address is enough to post to it. PagerDuty's path is public, and its
 * routing key is the secret.
 */
function secretsOfReceiver({ type, url, secret, routingKey, ...receiver }: AlertReceiver): readonly string[] {
  const { pathname, search } = new URL(url)
  const isLongPath = pathname.length + search.length >= MIN_SECRET_PATH_CHARACTERS
  const headers = Object.entries(receiver.headers).filter(([name]) => isSecretName(name))
  return [
    ...(type === 'pagerduty' ? [] : [url, ...(isLongPath ? [pathname + search] : [])]),
    ...headers.flatMap(([, value]) => secretsOfHeader(value)),
    ...(secret === undefined ? [] : [secret, secret.replace(/^whsec_/, '')]),
    ...(routingKey === undefined ? [] : [routingKey]),
  ]
}

function secretsOfSignIn({ oidc }: Config['signIn']): readonly string[] {
  if (oidc === undefined) return []
  return [oidc.clientSecret, ...(oidc.proxy === undefined ? [] : secretsOfProxy(new URL(oidc.proxy)))]
}

/** Lists the whole value, and the value without its scheme, such as `Bearer`, where it has one. */
function secretsOfHeader(value: string): readonly string[] {
  const [, rest] = /^\S+ +(.+)$/.exec(value) ?? []
  return rest === undefined ? [value] : [value, rest]
}

/** Lists the password both percent-encoded and decoded, and both with the user, which is what is sent in base64. */
function secretsOfProxy({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return []
  const [user, word] = [decodeURIComponent(username), decodeURIComponent(password)]
  return [password, word, `${username}:${password}`, `${user}:${word}`]
}
