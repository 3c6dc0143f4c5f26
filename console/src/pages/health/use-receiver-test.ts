import { useQueryClient } from '@tanstack/react-query'
import { testedReceiverSchema } from '../../../../src/admin/alerts/alert-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { useSingleMutation } from '../../api/use-single-mutation.ts'
import { writeDeliveryReason } from '../../health/delivery-reason.ts'
import { t } from '../../language/language.ts'
import { showToast } from '../../ui/toasts.tsx'
import { receiversQuery } from './alert-queries.ts'

/** Sends a test to a receiver and shows whether it arrived. */
export function useReceiverTest(receiver: string) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: () =>
      callApi({ method: 'POST', path: '/alerts/test', body: { receiver }, answer: testedReceiverSchema }),
    onSuccess(test) {
      void client.invalidateQueries({ queryKey: receiversQuery.queryKey })
      if (test.delivered) showToast(t('alerts.test.done', { name: receiver }))
      else
        showToast(t('alerts.test.failed', { name: receiver, reason: writeDeliveryReason(test) }), {
          tone: 'bad',
        })
    },
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
