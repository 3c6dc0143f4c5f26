import { useState } from 'react'
import { explainError } from '../../api/describe-error.ts'
import { goToProvider } from '../../api/single-sign-on.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'

interface ProviderButtonProps {
  readonly label: string
  /** The secret of a link that the sign-in accepts. */
  readonly link?: string
  readonly returnTo?: string
  readonly isPrimary?: boolean
}

/** A button that goes to the identity provider. It shows an error if that fails. */
export function ProviderButton({ label, link, returnTo, isPrimary = false }: ProviderButtonProps) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const go = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await goToProvider({
        ...(link !== undefined && { link }),
        ...(returnTo !== undefined && { return_to: returnTo }),
      })
    } catch (error) {
      setProblem(explainError(error))
      setBusy(false)
    }
  }
  return (
    <div className="space-y-3">
      <Button
        variant={isPrimary ? 'primary' : 'plain'}
        icon="lock"
        className="w-full"
        isBusy={isBusy}
        onClick={() => void go()}
      >
        {t('sso.continue', { label })}
      </Button>
      {problem !== undefined && <Banner tone="bad">{problem}</Banner>}
    </div>
  )
}

/** The separator between two ways to continue. */
export function OrLine() {
  return (
    <p className="my-4 flex items-center gap-3 text-[0.8125rem] text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {t('sso.or')}
    </p>
  )
}
