import type { PackedRows } from '../../request-log/pack-row.ts'
import type {
  CallerList,
  CallerQuery,
  PruneLimits,
  RequestPage,
  RequestQuery,
  StoredRequest,
} from '../../request-log/request-log-store.ts'
import type { TrafficQuery, TrafficReport } from '../../request-log/traffic.ts'

export type RequestLogAsk =
  | { readonly type: 'append'; readonly rows: PackedRows }
  | { readonly type: 'page'; readonly query: RequestQuery }
  | { readonly type: 'find'; readonly requestId: string }
  | { readonly type: 'callers'; readonly query: CallerQuery }
  | { readonly type: 'traffic'; readonly query: TrafficQuery }
  | { readonly type: 'prune'; readonly limits: PruneLimits }
  | { readonly type: 'copy'; readonly path: string }

export type RequestLogAnswer =
  | { readonly type: 'append' }
  | { readonly type: 'page'; readonly page: RequestPage }
  | { readonly type: 'find'; readonly request: StoredRequest | undefined }
  | { readonly type: 'callers'; readonly list: CallerList }
  | { readonly type: 'traffic'; readonly report: TrafficReport }
  | { readonly type: 'prune'; readonly hasMore: boolean }
  | { readonly type: 'copy' }
