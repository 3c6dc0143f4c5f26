import { useState } from 'react'
import { z } from 'zod'
import { confirmedTotpSchema, startedTotpSchema } from '../../../src/admin/people/people-contract.ts'
import { callApi } from '../api/call-api.ts'
import { explainError } from '../api/describe-error.ts'
import { FormFrame } from '../forms/form-frame.tsx'
import { TextInput } from '../forms/inputs.tsx'
import { useForm } from '../forms/use-form.ts'
import { t } from '../language/language.ts'
import { Button } from '../ui/button.tsx'
import { SecretOnce } from '../ui/copy-button.tsx'
import { showToast } from '../ui/toasts.tsx'
import { QrPicture } from './qr-picture.tsx'

interface Scan {
  readonly secret: string
  readonly uri: string
}

export type SetupStep =
  | ({ readonly type: 'scan' } & Scan)
  | { readonly type: 'codes'; readonly codes: readonly string[] }

/** Makes the secret of a second factor. Undefined if that failed, which a toast then reports. */
export async function startSecondFactor(): Promise<SetupStep | undefined> {
  try {
    const made = await callApi({ method: 'POST', path: '/me/totp', body: {}, answer: startedTotpSchema })
    return { type: 'scan', ...made }
  } catch (error) {
    showToast(explainError(error), { tone: 'bad' })
    return undefined
  }
}

/** The complete set-up of a second factor, on a page of its own. */
export function SecondFactorSetup({ onCodes }: { readonly onCodes: () => void }) {
  const [step, setStep] = useState<SetupStep>()
  if (step === undefined)
    return (
      <Button variant="primary" icon="lock" onClick={async () => setStep(await startSecondFactor())}>
        {t('account.totp.start')}
      </Button>
    )
  const showCodes = (codes: readonly string[]) => {
    setStep({ type: 'codes', codes })
    onCodes()
  }
  return <SetupSteps step={step} onCodes={showCodes} />
}

interface SetupStepsProps {
  readonly step: SetupStep
  readonly onCodes: (codes: readonly string[]) => void
}

export function SetupSteps({ step, onCodes }: SetupStepsProps) {
  return step.type === 'scan' ? <ScanStep {...step} onCodes={onCodes} /> : <CodesStep codes={step.codes} />
}

const empty = { code: '' }

interface ScanStepProps extends Scan {
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
        method: 'POST',
        path: '/me/totp/confirm',
        body,
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
