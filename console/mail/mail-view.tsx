/** The mails that were sent, as `kiln dev` keeps them: a list, and one of them as HTML and as plain text. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { KeptMail } from '../../runtime/deliver/mailbox.ts';
import { momentText } from '../data/cell.tsx';
import { useLoaded } from '../state/console-api.ts';
import { hrefTo, type ViewProps } from '../state/route.ts';
import { Button } from '../ui/controls.tsx';
import { currentIf, WithSidebar } from '../ui/sidebar.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Loaded, Notice } from '../ui/text.tsx';

export function MailView({ path: [id] }: ViewProps): JSX.Element {
  const mails = useLoaded<readonly KeptMail[]>('mails');
  const shown = mails.value?.find((mail) => mail.id === id) ?? mails.value?.[0];
  const list = mails.value?.map((mail) => (
    <a key={mail.id} class="mail-item item" href={hrefTo('mail', [mail.id])} {...currentIf(mail === shown)}>
      <span class="ellipsis">{mail.subject}</span>
      <span class="ellipsis soft">{mail.to}</span>
      <time class="soft">{momentText(mail.sentAt)}</time>
    </a>
  ));
  return (
    <WithSidebar label="Mails" sidebar={<div class="side-list">{list}</div>}>
      <div class="mail">
        <div class="data-head row spaced">
          <h2>Mail</h2>
          <div class="buttons end">
            <Button isSmall isBusy={mails.isLoading} onClick={mails.reload}>
              Refresh
            </Button>
          </div>
        </div>
        <Loaded of={mails}>
          {() =>
            shown ? (
              <OneMail key={shown.id} mail={shown} />
            ) : (
              <Notice kind="empty">No mail was sent yet. Mails of `kiln dev` are kept here and go nowhere else.</Notice>
            )
          }
        </Loaded>
      </div>
    </WithSidebar>
  );
}

const TABS = [
  { name: 'html', label: 'HTML' },
  { name: 'text', label: 'Plain text' },
] as const;

/** The frame runs no scripts, sends no forms, and is of another origin than the console. */
function OneMail({ mail: { to, subject, html, text } }: { readonly mail: KeptMail }): JSX.Element {
  const [tab, setTab] = useState<'html' | 'text'>('html');
  return (
    <section class="mail-content box surface padded" aria-label={subject}>
      <h3>{subject}</h3>
      <p class="soft">to {to}</p>
      <Tabs label="Parts of the mail" tabs={TABS} selected={tab} onSelect={setTab}>
        {tab === 'html' ? <iframe title={subject} sandbox="" srcdoc={html} /> : <pre>{text}</pre>}
      </Tabs>
    </section>
  );
}
