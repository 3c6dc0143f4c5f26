import { useQueryClient } from '@tanstack/react-query'
import { configViewSchema } from '../../../src/admin/config/config-contract.ts'
import { callApi } from '../api/call-api.ts'
import { explainError } from '../api/describe-error.ts'
import { t } from '../language/language.ts'
import { showToast } from '../ui/toasts.tsx'

/** Undoes a version at once. A failure is shown as a toast. */
function useUndoVersion(): (version: number) => void {
  const client = useQueryClient()
  return (version) => {
    const path = `/config/versions/${version}/undo`
    callApi({ method: 'POST', path, body: {}, answer: configViewSchema })
      .then(async () => {
        showToast(t('drafts.undone', { version: String(version) }))
        await client.invalidateQueries()
      })
      .catch((error: unknown) => showToast(explainError(error), { tone: 'bad' }))
  }
}

/** Shows a toast that the change is made, with an undo button. */
export function useChangedToast(): (text: string, version: number) => void {
  const undo = useUndoVersion()
  return (text, version) => showToast(text, { action: { label: t('drafts.undo'), run: () => undo(version) } })
}
