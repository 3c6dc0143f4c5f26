import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type CertificationList,
  type CertificationView,
  certificationListSchema,
  certificationPlanSchema,
  certificationSchema,
} from '../../../../src/admin/certification/certification-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { useSingleMutation } from '../../api/use-single-mutation.ts'
import { showToast } from '../../ui/toasts.tsx'
import { channelPath } from './channel-queries.ts'

/** The limit on shown certifications, the newest first. */
export const SHOWN_CERTIFICATIONS = 200
const REFRESH_MS = 1_000

export function isOpen({ state }: CertificationView): boolean {
  return state === 'queued' || state === 'running'
}

const listKey = ['channels', 'certifications'] as const

/** The newest certification of each model of one channel or of all channels. It is polled while one is in progress. */
export const certificationsQuery = (channel?: string) =>
  queryOptions({
    queryKey: [...listKey, channel ?? ''],
    queryFn: ({ signal }) =>
      callApi({
        path: '/certifications',
        query: { newest: true, channel, limit: SHOWN_CERTIFICATIONS },
        signal,
        answer: certificationListSchema,
      }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) === true ? REFRESH_MS : false),
  })

const empty: CertificationList = { data: [], next_before: null }

interface CertificationsOfChannels {
  readonly byChannel: ReadonlyMap<string, readonly CertificationView[]>
  /** Whether there are older ones, so that a channel may have more of them than are listed, or others alone. */
  readonly isCut: boolean
}

/** The newest certifications by channel. */
export function useCertifications(): CertificationsOfChannels {
  const newest = useQuery(certificationsQuery())
  const { data, next_before: next } = newest.data ?? empty
  return { byChannel: Map.groupBy(data, ({ channel }) => channel), isCut: next !== null }
}

/** The maximum cost of a certification of every model of a channel. */
export const certificationPlanQuery = (channel: string) =>
  queryOptions({
    queryKey: ['channels', 'certification-plan', channel],
    queryFn: ({ signal }) =>
      callApi({
        path: `${channelPath(channel)}/certification-plan`,
        answer: certificationPlanSchema,
        signal,
      }),
  })

export function useCertifying(channel: string) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: (model: string | undefined) =>
      callApi({
        method: 'POST',
        path: `${channelPath(channel)}/certifications`,
        body: model === undefined ? {} : { model },
        answer: certificationListSchema,
      }),
    onSuccess(started) {
      client.setQueryData(certificationsQuery(channel).queryKey, (known) => replaceModels(known, started))
      return client.invalidateQueries({ queryKey: listKey })
    },
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}

/** The list after these certifications have started, so that the page does not jump before the next read. */
function replaceModels(known: CertificationList | undefined, started: CertificationList): CertificationList {
  const names = new Set(started.data.map(({ upstream_model: model }) => model))
  const others = (known?.data ?? []).filter(({ upstream_model: model }) => !names.has(model))
  return { ...started, data: [...started.data, ...others] }
}

export function useCancelling() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      callApi({ method: 'POST', path: `/certifications/${id}/cancel`, answer: certificationSchema }),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey }),
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
