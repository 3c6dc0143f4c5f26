import { useState } from 'react'
import { copyText } from '../browser/copy-text.ts'
import { t } from '../language/language.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import { ScrollRegion } from './scroll-region.tsx'
import { showToast } from './toasts.tsx'

const SHOWN_MS = 2_000

interface CopyButtonProps {
  readonly text: string
  /** The name of the text, for screen readers. */
  readonly label: string
  /** Whether the button has a text next to its icon. */
  readonly hasText?: boolean
}

export function CopyButton({ text, label, hasText = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return showToast(t('common.copy_failed'), { tone: 'bad' })
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  const icon = isCopied ? 'check' : 'copy'
  if (!hasText) return <IconButton icon={icon} label={isCopied ? t('common.copied') : label} onClick={copy} />
  return (
    <Button icon={icon} onClick={copy}>
      {isCopied ? t('common.copied') : label}
    </Button>
  )
}

interface SecretOnceProps {
  readonly secret: string
  readonly label: string
}

/** A secret that is shown only once and never stored by the page. */
export function SecretOnce({ secret, label }: SecretOnceProps) {
  return (
    <div className="space-y-3">
      <div className="flex items-start gap-2 rounded-lg bg-warn-soft px-3 py-2.5 text-warn">
        <Icon name="lock" className="mt-px size-4.5" />
        <p className="min-w-0 flex-1">{t('common.secret_once')}</p>
      </div>
      <div className="flex items-center gap-2">
        <code
          data-secret
          className="min-w-0 flex-1 rounded-lg border border-line bg-sunken px-3 py-2 break-all select-all"
        >
          {secret}
        </code>
        <CopyButton text={secret} label={label} />
      </div>
    </div>
  )
}

interface CodeBlockProps {
  readonly text: string
  readonly label: string
  readonly className?: string
}

/** Lines to paste elsewhere, with a button that copies them. */
export function CodeBlock({ text, label, className }: CodeBlockProps) {
  return (
    <div className={classNames('relative rounded-lg border border-line bg-sunken', className)}>
      <ScrollRegion
        label={label}
        className="overflow-x-auto py-3 pr-12 pl-3 text-[0.8125rem] leading-relaxed"
      >
        <pre>
          <code>{text}</code>
        </pre>
      </ScrollRegion>
      <div className="absolute top-1.5 right-1.5 rounded-lg bg-sunken">
        <CopyButton text={text} label={t('common.copy')} />
      </div>
    </div>
  )
}
