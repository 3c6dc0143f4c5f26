import { createHash } from 'node:crypto'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import type { Random } from '../../kit/random/random.ts'
import type { PostgresDatabase, PostgresQueries } from './open-postgres.ts'

/** The secrets that all nodes share. They are made once and sealed with the installation's secret. */
export interface SharedSecrets {
  readonly pepper: Buffer
  readonly adminToken: string
  readonly metricsToken: string
}

export interface SharedSecretOptions {
  readonly sealer: Sealer
  /** The sealers of earlier installation secrets, after a change of the secret. */
  readonly previous: readonly Sealer[]
  readonly random: Random
  /** The pepper from the environment, as hex digits. */
  readonly pepper: string | undefined
}

const SECRET_BYTES = 32
/** The number of the lock that a node holds while it makes secrets: "head" in ASCII, and 5. */
const SECRET_LOCK = 0x68656164_05

/** Reads the shared secrets, and makes the missing ones. Refuses a node whose own secrets differ from them. */
export function openSharedSecrets(
  database: PostgresDatabase,
  options: SharedSecretOptions,
): Promise<SharedSecrets> {
  const { random, pepper: given } = options
  return database.transaction(async (queries) => {
    await queries.query(`select pg_advisory_xact_lock(${SECRET_LOCK})`)
    const token = () => random.bytes(SECRET_BYTES).toString('base64url')
    const open = (name: string, make: () => string) => openSecret(queries, { ...options, name, make })
    const pepper = await open('pepper', () => given ?? random.bytes(SECRET_BYTES).toString('hex'))
    if (given !== undefined && given.toLowerCase() !== pepper.toLowerCase())
      throw new OperatorError('secret_mismatch', 'HEADGATE_PEPPER is not the pepper of this database')
    return {
      pepper: Buffer.from(pepper, 'hex'),
      adminToken: await open('admin_token', token),
      metricsToken: await open('metrics_token', token),
    }
  })
}

interface SecretInput extends Pick<SharedSecretOptions, 'sealer' | 'previous'> {
  readonly name: string
  readonly make: () => string
}

async function openSecret(
  queries: PostgresQueries,
  { name, make, sealer, previous }: SecretInput,
): Promise<string> {
  const boundTo = `data_keys|${name}`
  const store = async (text: string): Promise<string> => {
    await queries.query(
      `insert into data_keys (name, sealed) values ($1, $2) on conflict (name) do update set sealed = excluded.sealed`,
      [name, sealer.seal(text, boundTo)],
    )
    return text
  }
  const { rows } = await queries.query('select sealed from data_keys where name = $1', [name])
  const [row] = rows
  if (row === undefined) return store(make())
  const sealed = String(row['sealed'])
  const own = sealer.open(sealed, boundTo)
  if (own !== undefined) return own
  for (const earlier of previous) {
    const text = earlier.open(sealed, boundTo)
    if (text !== undefined) return store(text)
  }
  throw new OperatorError(
    'secret_mismatch',
    'HEADGATE_SECRET is not the one that sealed the secrets of this database',
    {
      advice:
        'give every node the same one; after a change of it, the one before as HEADGATE_SECRET_PREVIOUS',
    },
  )
}

/** A digest by which nodes check that they have the same secret. It does not reveal the secret. */
export function markSecret(name: string, secret: string, pepper: Buffer): string {
  return createHash('sha256').update(`headgate mark ${name}`).update(pepper).update(secret).digest('hex')
}
