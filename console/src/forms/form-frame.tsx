import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { Button } from '../ui/button.tsx'
import { Banner } from '../ui/states.tsx'
import { useTypedForm } from '../ui/typed-forms.ts'
import type { Form, FormValues } from './use-form.ts'

interface FormFrameProps<Values extends FormValues> {
  readonly form: Form<Values>
  readonly submit: string
  readonly onCancel?: () => void
  readonly isDangerous?: boolean
  /** Whether the change may be added to a draft instead. */
  readonly canDraft?: boolean
  readonly children: ReactNode
}

/** A form with its errors and buttons. */
export function FormFrame<Values extends FormValues>({
  form,
  submit,
  onCancel,
  isDangerous = false,
  canDraft = false,
  children,
}: FormFrameProps<Values>) {
  useTypedForm(form.isTyped, form.reset)
  return (
    <form id={form.id} noValidate onSubmit={form.submit} className="space-y-4">
      {form.isRestored && (
        <Banner
          tone="accent"
          action={
            <Button isSmall variant="quiet" onClick={form.reset}>
              {t('form.start_over')}
            </Button>
          }
        >
          {t('form.restored')}
        </Banner>
      )}
      {children}
      <div data-dialog-actions className="flex flex-wrap justify-end gap-2 pt-2">
        {form.problem !== undefined && (
          <div className="w-full">
            <Banner tone="bad">{form.problem}</Banner>
          </div>
        )}
        {form.isConflict && (
          <div className="w-full">
            <Banner
              tone="bad"
              action={
                <Button isSmall variant="quiet" onClick={form.showTheirs}>
                  {t('form.conflict.show')}
                </Button>
              }
            >
              {t('form.conflict')}
            </Banner>
          </div>
        )}
        {onCancel !== undefined && <Button onClick={onCancel}>{t('common.cancel')}</Button>}
        {canDraft && (
          <Button icon="edit" isWaiting={form.isBusy} onClick={() => void form.submitToDraft()}>
            {t('drafts.add')}
          </Button>
        )}
        <Button type="submit" variant={isDangerous ? 'danger' : 'primary'} isBusy={form.isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
