import type { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../canonical/operator-error.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import { isKeyAside } from '../open-data-key.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'

/** The secrets of a data folder that nodes share. */
export interface FolderSecrets {
  /** Hex digits. */
  readonly pepper: string
  readonly adminToken: string | undefined
  readonly metricsToken: string | undefined
}

/** Refuses a secret that cannot decrypt the sealed content of the data folder. */
export function requireSealingSecret(source: DatabaseSync, sealer: Sealer): void {
  for (const { name, sealed } of source.prepare('select name, sealed from data_keys').all()) {
    if (isKeyAside(String(name))) continue
    if (sealer.open(String(sealed), boundTo(String(name))) === undefined)
      throw new OperatorError(
        'secret_mismatch',
        'HEADGATE_SECRET is not the one that sealed the values of the data folder, so that no node could read them',
        {
          advice:
            'set it to the one that the gateway runs with: its HEADGATE_SECRET, else the content of the file "secret" in the data folder',
        },
      )
  }
}

/** Seals the secrets in the same way as the first node of a database, so that keys and tokens continue to work. */
export async function copySecrets(
  queries: PostgresQueries,
  secrets: FolderSecrets,
  sealer: Sealer,
): Promise<void> {
  const texts = {
    pepper: secrets.pepper,
    admin_token: secrets.adminToken,
    metrics_token: secrets.metricsToken,
  }
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined) continue
    await queries.query(
      'insert into data_keys (name, sealed) values ($1, $2) on conflict (name) do update set sealed = excluded.sealed',
      [name, sealer.seal(text, boundTo(name))],
    )
  }
}

/** The purpose that the seal of a data key is bound to. */
function boundTo(name: string): string {
  return `data_keys|${name}`
}
