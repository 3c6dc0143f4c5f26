import { useState } from 'react'
import { z } from 'zod'
import {
  confirmedTotpSchema,
  removedTotpSchema,
  startedTotpSchema,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SecretOnce } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { QrPicture } from './qr-picture.tsx'

type Step =
  | { readonly type: 'none' }
  | { readonly type: 'scan'; readonly secret: string; readonly uri: string }
  | { readonly type: 'codes'; readonly codes: readonly string[] }
  | { readonly type: 'remove' }

export function SecondFactorCard() {
  const [step, setStep] = useState<Step>({ type: 'none' })
  const close = () => setStep({ type: 'none' })
  const start = async () => {
    try {
      const made = await callApi({ method: 'POST', path: '/me/totp', body: {}, answer: startedTotpSchema })
      setStep({ type: 'scan', ...made })
    } catch (error) {
      showToast(explainError(error), { tone: 'bad' })
    }
  }
  return (
    <Card title={t('account.totp')}>
      <p className="mb-3 text-muted">{t('account.totp.why')}</p>
      <div className="flex flex-wrap gap-2">
        <Button icon="lock" onClick={start}>
          {t('account.totp.start')}
        </Button>
        <Button variant="quiet" onClick={() => setStep({ type: 'remove' })}>
          {t('account.totp.remove')}
        </Button>
      </div>
      <Dialog
        isOpen={step.type === 'scan' || step.type === 'codes'}
        onClose={close}
        title={t('account.totp')}
        isSticky
      >
        {step.type === 'scan' && (
          <ScanStep {...step} onCodes={(codes) => setStep({ type: 'codes', codes })} />
        )}
        {step.type === 'codes' && <CodesStep codes={step.codes} />}
      </Dialog>
      <RemoveDialog isOpen={step.type === 'remove'} onClose={close} />
    </Card>
  )
}

const empty = { code: '' }

interface ScanStepProps {
  readonly secret: string
  readonly uri: string
  readonly onCodes: (codes: readonly string[]) => void
}

function ScanStep({ secret, uri, onCodes }: ScanStepProps) {
  const form = useForm({
    name: 'totp',
    initial: empty,
    secrets: ['code'],
    schema: z.object({ code: z.string().min(1, { error: t('form.required') }) }),
    async submit(body) {
      const { recovery_codes } = await callApi({
        ...{ method: 'POST', path: '/me/totp/confirm', body },
        answer: confirmedTotpSchema,
      })
      showToast(t('account.totp.on'))
      onCodes(recovery_codes)
    },
  })
  return (
    <FormFrame form={form} submit={t('account.totp.confirm')}>
      <p className="text-muted">{t('account.totp.scan')}</p>
      <QrPicture text={uri} label={t('account.totp.picture')} />
      <code data-secret className="block rounded-lg bg-sunken px-3 py-2 text-center break-all select-all">
        {secret}
      </code>
      <TextInput
        field={form.bind('code')}
        label={t('account.totp.code')}
        autoComplete="one-time-code"
        autoFocus
      />
    </FormFrame>
  )
}

function CodesStep({ codes }: { readonly codes: readonly string[] }) {
  return (
    <div className="space-y-3">
      <h3 className="font-semibold">{t('account.totp.recovery')}</h3>
      <p className="text-muted">{t('account.totp.recovery.why')}</p>
      <SecretOnce secret={codes.join(' ')} label={t('common.copy')} />
    </div>
  )
}

function RemoveDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const remove = async () => {
    await callApi({ method: 'DELETE', path: '/me/totp', answer: removedTotpSchema })
    showToast(t('account.totp.removed'))
  }
  return (
    <ConfirmDialog
      {...{ isOpen, onClose, isDangerous: true, onConfirm: remove }}
      title={t('account.totp.remove')}
      confirm={t('account.totp.remove')}
    >
      <p>{t('account.totp.remove.why')}</p>
    </ConfirmDialog>
  )
}
