import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  type AlertView,
  alertListSchema,
  alertRulesSchema,
  type ReceiverView,
  receiverListSchema,
} from '../../../../src/admin/alerts/alert-contract.ts'
import { callApi } from '../../api/call-api.ts'
import type { Tone } from '../../ui/badge.tsx'

const REFRESH_MS = 5_000
const MAX_OPEN = 1_000
const PAGE_ROWS = 20

export const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  queryFn: ({ signal }) =>
    callApi({ path: '/alerts', query: { state: 'open', limit: MAX_OPEN }, answer: alertListSchema, signal }),
  refetchInterval: REFRESH_MS,
})

export const pastAlertsQuery = infiniteQueryOptions({
  queryKey: ['alerts', 'past'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ signal, pageParam }) =>
    callApi({
      path: '/alerts',
      query: { state: 'resolved', limit: PAGE_ROWS, after: pageParam },
      answer: alertListSchema,
      signal,
    }),
  getNextPageParam: ({ next_after: next }) => next ?? undefined,
})

export const receiversQuery = queryOptions({
  queryKey: ['alerts', 'receivers'],
  queryFn: ({ signal }) => callApi({ path: '/alerts/receivers', answer: receiverListSchema, signal }),
})

export const alertRulesQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: ({ signal }) => callApi({ path: '/alerts/rules', answer: alertRulesSchema, signal }),
})

/** The names of the products, which are not translated. */
export const receiverNames: Readonly<Record<ReceiverView['type'], string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
}

export const severityTones: Readonly<Record<AlertView['severity'], Tone>> = {
  info: 'neutral',
  warning: 'warn',
  critical: 'bad',
}
