/** The console: mounts the frame in the page, and reads the API's document. */
import { render } from 'preact';
import { App } from './app/app.tsx';
import { keepPlaces } from './state/route.ts';
import { followAccount } from './state/session.ts';
import { loadApiDocument } from './state/store.ts';

const place = document.querySelector('#app');
if (place === null) throw new Error('the page has no #app');
const title = place.querySelector('h1')?.textContent ?? '';
const version = place.querySelector('.version')?.textContent ?? '';
// The server has drawn the header, so that it is there before the scripts are.
place.replaceChildren();
render(<App title={title} version={version} />, place);
keepPlaces();
followAccount();
void loadApiDocument();
