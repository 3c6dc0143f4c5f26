import type { PruneLimits, RequestPage, RequestQuery, StoredRequest } from '../telemetry/request-log-store.ts'

export type RequestLogAsk =
  /** Packed rows, one after the other, two lines each. */
  | { readonly type: 'append'; readonly lines: string }
  | { readonly type: 'page'; readonly query: RequestQuery }
  | { readonly type: 'find'; readonly requestId: string }
  | { readonly type: 'prune'; readonly limits: PruneLimits }

export type RequestLogAnswer =
  | { readonly type: 'append' }
  | { readonly type: 'page'; readonly page: RequestPage }
  | { readonly type: 'find'; readonly request: StoredRequest | undefined }
  | { readonly type: 'prune'; readonly hasMore: boolean }
