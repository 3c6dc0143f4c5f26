import { useMutation, useQueryClient } from '@tanstack/react-query'
import { endedSessionSchema } from '../../../src/admin/people/people-contract.ts'
import { callApi } from '../api/call-api.ts'
import { explainError } from '../api/describe-error.ts'
import { t } from '../language/language.ts'
import { showToast } from '../ui/toasts.tsx'

/** Ends a session by its ID. */
export function useSessionEnd() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      callApi({ method: 'DELETE', path: `/sessions/${encodeURIComponent(id)}`, answer: endedSessionSchema }),
    async onSuccess() {
      showToast(t('account.sessions.ended'))
      await client.invalidateQueries({ queryKey: ['sessions'] })
    },
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
