import { brand } from '../../kit/brand.ts'
import type { RateLimitId } from '../../metering/rate-limit.ts'
import type { RateShareStore } from '../../metering/rates/rate-shares.ts'
import { DATABASE_NOW } from './ledger/epochs.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/** Each node has at least this part of an even share, so that a first request finds some of the limit free. */
const MIN_PART = 0.1
/** Nodes share a limit evenly again once no node has run short of it for this long. */
const COMPETE_MS = 30_000
/** The number of the lock that a node holds while shares are assigned: "head" in ASCII, and 8. */
const SHARE_LOCK = 0x68656164_08

const live = '(select epoch from nodes where ended_at_ms is null)'

/**
 * Each node asks for a part of the limit in proportion to its requests. It gets that part, or what the other nodes
 * leave. The other nodes hold the shares of their last reports, or an even share before their first report.
 */
const give = `
  with live as (select epoch, count(*) over () as nodes from nodes where ended_at_ms is null),
  competed as (select distinct limit_id from rate_shares where lacked_at_ms > ${DATABASE_NOW} - ${COMPETE_MS}),
  held as (
    select competed.limit_id, live.epoch, live.nodes, coalesce(own.share, 1.0 / live.nodes) as share,
      coalesce(own.asked, 0) as asked
    from competed cross join live
    left join rate_shares as own on own.limit_id = competed.limit_id and own.epoch = live.epoch
  ),
  wishes as (
    select limit_id, max(nodes) as nodes, sum(asked) as all_asked,
      sum(asked) filter (where epoch = $1) as own_asked, sum(share) filter (where epoch <> $1) as others
    from held group by limit_id
  ),
  given as (
    select limit_id, least(
      case when all_asked = 0 then 1.0 / nodes
        else ${MIN_PART} / nodes + (1 - ${MIN_PART}) * own_asked / all_asked end,
      greatest(0, 1 - coalesce(others, 0))) as share
    from wishes
  )
  insert into rate_shares as s (limit_id, epoch, share, asked, lacked_at_ms)
  select limit_id, $1, share, 0, 0 from given
  on conflict (limit_id, epoch) do update set share = excluded.share
  returning limit_id, share`

export function createPostgresRateShares(database: PostgresDatabase): RateShareStore {
  return {
    report: (epoch, reports) =>
      database.transaction(async (queries) => {
        await queries.query(`select pg_advisory_xact_lock(${SHARE_LOCK})`)
        // Frees the shares of nodes that have ended, and of limits for which no node competes.
        await queries.query(
          `delete from rate_shares as s where epoch not in ${live} or not exists (
             select 1 from rate_shares as other where other.limit_id = s.limit_id
               and other.lacked_at_ms > ${DATABASE_NOW} - ${COMPETE_MS})`,
        )
        // Half of the earlier requests remain in the count, so that one quiet second does not cost a node its share.
        await queries.query('update rate_shares set asked = asked / 2 where epoch = $1', [epoch])
        await queries.query(
          `insert into rate_shares as s (limit_id, epoch, share, asked, lacked_at_ms)
           select limit_id, $1, 1.0 / greatest(1, (select count(*) from nodes where ended_at_ms is null)), asked,
             case when lacked then ${DATABASE_NOW} else 0 end
           from unnest($2::text[], $3::bigint[], $4::boolean[]) as t(limit_id, asked, lacked)
           on conflict (limit_id, epoch) do update set asked = s.asked + excluded.asked,
             lacked_at_ms = greatest(s.lacked_at_ms, excluded.lacked_at_ms)`,
          [
            epoch,
            reports.map(({ limit }) => limit),
            reports.map(({ asked }) => asked),
            reports.map(({ lacked }) => lacked),
          ],
        )
        const { rows } = await queries.query(give, [epoch])
        return rows.map((row) => ({
          limit: brand<RateLimitId>(String(row['limit_id'])),
          share: Number(row['share']),
        }))
      }),
  }
}
