import { useMutation } from '@tanstack/react-query'
import { captureViewSchema } from '../../../../src/admin/captures/capture-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { Banner } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'

/**
 * The captured prompt and response of a request. They are read only on demand, since each read is recorded in the
 * audit log.
 */
export function CapturedBodies({ id }: { readonly id: string }) {
  const mayRead = useMay('GET /captures/{request_id}')
  const read = useMutation({
    mutationFn: () => callApi({ path: `/captures/${encodeURIComponent(id)}`, answer: captureViewSchema }),
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{t('capture.title')}</h3>
      <p className="text-muted">{t('capture.why')}</p>
      {mayRead && read.data === undefined && (
        <Button isSmall icon="lock" isBusy={read.isPending} onClick={() => read.mutate()}>
          {t('capture.read')}
        </Button>
      )}
      {read.data?.readable === false && <Banner tone="warn">{t('capture.unreadable')}</Banner>}
      {read.data?.prompt != null && <CodeBlock text={read.data.prompt.text} label={t('capture.prompt')} />}
      {read.data?.answer != null && <CodeBlock text={read.data.answer.text} label={t('capture.answer')} />}
    </section>
  )
}
