import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import type { RequestFilter } from '../../request-log/request-log-store.ts'
import { durationClassOf } from './duration-class.ts'
import type { RequestLogTables } from './request-log-tables.ts'

/** Selects the shapes that may match a filter. A shape has only the class of the total time. */
export function fitsShape(filter: RequestFilter) {
  return (shape: ExpressionBuilder<RequestLogTables, 'shapes'>): Expression<SqlBool> => {
    const { key, ownedBy, user, group, model, channel, upstreamModel, status, error, isStream, minMs } =
      filter
    const conditions: Expression<SqlBool>[] = []
    if (key !== undefined) {
      conditions.push(shape.or([shape('shapes.key_id', '=', key), shape('shapes.key_name', '=', key)]))
    }
    if (ownedBy !== undefined) conditions.push(isOwnedBy(shape, ownedBy))
    if (user !== undefined) conditions.push(shape('shapes.user_name', '=', user))
    if (group !== undefined) conditions.push(shape('shapes.group_name', '=', group))
    if (model !== undefined) conditions.push(shape('shapes.model', '=', model))
    if (channel !== undefined) conditions.push(shape('shapes.channel', '=', channel))
    if (upstreamModel !== undefined) conditions.push(shape('shapes.upstream_model', '=', upstreamModel))
    if (status !== undefined) conditions.push(shape.between('shapes.status', status[0], status[1]))
    if (error !== undefined) conditions.push(shape('shapes.error', '=', error))
    if (isStream !== undefined) conditions.push(shape('shapes.is_stream', '=', isStream ? 1 : 0))
    if (minMs !== undefined) conditions.push(shape('shapes.duration_class', '>=', durationClassOf(minMs)))
    return shape.and(conditions)
  }
}

function isOwnedBy(
  shape: ExpressionBuilder<RequestLogTables, 'shapes'>,
  { user, groups }: OwnedBy,
): Expression<SqlBool> {
  const isOwn = shape('shapes.user_name', '=', user)
  return groups.length === 0 ? isOwn : shape.or([isOwn, shape('shapes.group_name', 'in', groups)])
}
