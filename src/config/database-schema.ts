import { z } from 'zod'
import { tryDecodeUri } from '../kit/bytes/try-decode-uri.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'

export type DatabaseTls =
  | { readonly type: 'off' }
  /** Encrypted, but the server is not verified. */
  | { readonly type: 'unverified'; readonly ca?: undefined }
  /** The server is verified by a known authority or by the authorities in `ca`. */
  | { readonly type: 'verified'; readonly ca?: string | undefined }

/** The PostgreSQL database that several nodes share. */
export interface DatabaseSettings {
  /** The server and the database without the password, for display. */
  readonly name: string
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly schema: string
  readonly tls: DatabaseTls
  /** The limit of connections of one node, besides the connection that listens for changes. */
  readonly connections: number
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
}

const DEFAULT_PORT = 5432
const DEFAULT_SCHEMA = 'headgate'
const DEFAULT_CONNECTIONS = 10
const MAX_CONNECTIONS = 1_000
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000
const DEFAULT_STATEMENT_TIMEOUT_MS = 5_000
const urlError = 'must be an address such as "postgres://user:password@host:5432/database"'
const tlsModes = ['disable', 'require', 'verify-full'] as const
const modeError = `has an unknown sslmode; it is one of ${tlsModes.join(', ')}`
const escapeError =
  'has a "%" in its user, password, host or database that begins no escape; write "%25" for a plain "%"'
const knownParameters = ['sslmode', 'host']

/** The address of the database. Errors do not repeat values, since these may contain a password. */
export const databaseUrlSchema = z.string({ error: urlError }).superRefine((text, context) => {
  const fault = findUrlFault(text)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault, input: undefined })
})

export const databaseSchema = z.strictObject({
  schema: z
    .string({ error: 'must be the name of a schema' })
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, { error: 'must have lower-case letters, digits and "_" alone' })
    .optional(),
  connections: z
    .int({ error: 'must be a whole number' })
    .min(2, { error: 'must be at least 2' })
    .max(MAX_CONNECTIONS, { error: `must be at most ${MAX_CONNECTIONS}` })
    .optional(),
  connect_timeout: durationSchema.optional(),
  statement_timeout: durationSchema.optional(),
  ca_file: z.string({ error: 'must be the path of a file' }).min(1).optional(),
})

export type DatabaseInput = z.output<typeof databaseSchema>

/** Finds the first fault of the address. Undefined where the address is valid. */
export function findUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return urlError
  const { protocol, username, password, hostname, pathname, searchParams } = new URL(text)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return urlError
  if (pathname.length < 2) return `${urlError}; the name of the database is missing`
  if ([username, password, hostname, pathname].some((part) => tryDecodeUri(part) === undefined))
    return escapeError
  const unknown = [...searchParams.keys()].find((name) => !knownParameters.includes(name))
  if (unknown !== undefined)
    return `has the parameter "${unknown}", which is not among ${knownParameters.join(', ')}`
  const mode = searchParams.get('sslmode')
  return mode === null || isTlsMode(mode) ? undefined : modeError
}

/** `ca` is the content of `ca_file`. */
export function readDatabase(text: string, input: DatabaseInput = {}, ca?: string): DatabaseSettings {
  const url = new URL(text)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  const database = decodeURIComponent(url.pathname.slice(1))
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  return {
    name: host.startsWith('/') ? `${database} at ${host}` : `${database} at ${host}:${port}`,
    host: host === '' ? 'localhost' : host.replace(/^\[|\]$/g, ''),
    port,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    schema: input.schema ?? DEFAULT_SCHEMA,
    tls: readTls(url.searchParams.get('sslmode'), host, ca),
    connections: input.connections ?? DEFAULT_CONNECTIONS,
    connectTimeoutMs: input.connect_timeout ?? DEFAULT_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: input.statement_timeout ?? DEFAULT_STATEMENT_TIMEOUT_MS,
  }
}

/**
 * Chooses how the connection is encrypted. A connection to another machine is encrypted and the server is verified,
 * unless the address says otherwise.
 */
function readTls(mode: string | null, host: string, ca: string | undefined): DatabaseTls {
  if (mode === 'disable' || (mode === null && isThisMachine(host))) return { type: 'off' }
  return mode === 'require' ? { type: 'unverified' } : { type: 'verified', ca }
}

function isThisMachine(host: string): boolean {
  return ['', 'localhost', '[::1]'].includes(host) || host.startsWith('127.') || host.startsWith('/')
}

function isTlsMode(mode: string): boolean {
  return tlsModes.some((each) => each === mode)
}
