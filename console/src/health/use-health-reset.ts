import { useQueryClient } from '@tanstack/react-query'
import { healthViewSchema } from '../../../src/admin/health-contract.ts'
import { callApi } from '../api/call-api.ts'
import { explainError } from '../api/describe-error.ts'
import { useSingleMutation } from '../api/use-single-mutation.ts'
import { t } from '../language/language.ts'
import { showToast } from '../ui/toasts.tsx'
import { healthQuery } from './channel-health.ts'

/** Closes the circuit breakers of a channel and ends its cooldowns. */
export function useHealthReset(channel: string) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: () =>
      callApi({ method: 'POST', path: '/health/reset', body: { channel }, answer: healthViewSchema }),
    onSuccess(health) {
      client.setQueryData(healthQuery.queryKey, health)
      showToast(t('health.reset.done', { channel }))
    },
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
