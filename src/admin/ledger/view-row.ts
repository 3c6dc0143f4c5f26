import { writeDollars } from '../../canonical/money.ts'
import type { NumberedRow } from '../../metering/ledger-reader.ts'
import { flagNames, type LedgerFlags } from '../../metering/ledger-row.ts'
import { viewUsage } from '../view-usage.ts'
import type { LedgerRowView } from './ledger-contract.ts'

/** In the words of an export. */
export function viewRow({ number, row }: NumberedRow): LedgerRowView {
  return {
    number,
    id: row.id,
    request_id: row.requestId,
    attempt: row.attempt,
    ended_at: new Date(row.endedAtMs).toISOString(),
    duration_ms: row.endedAtMs - row.startedAtMs,
    key_id: row.keyId,
    key: row.keyName,
    user: row.userId ?? null,
    group: row.group ?? null,
    tags: { ...row.tags },
    model: row.model,
    channel: row.channel,
    upstream_model: row.upstreamModel,
    price_version: row.priceVersion ?? null,
    state: row.state,
    tier: row.tier,
    usage: viewUsage(row.usage),
    cost_usd: Number(writeDollars(row.cost)),
    charged_usd: Number(writeDollars(row.charged)),
    flags: writeFlags(row.flags),
    corrects: row.flags.corrects ?? null,
  }
}

function writeFlags(flags: LedgerFlags): string[] {
  return flagNames.flatMap(([flag, name]) => (flags[flag] === true ? [name] : []))
}
