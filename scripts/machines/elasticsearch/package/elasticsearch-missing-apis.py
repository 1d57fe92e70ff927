#!/usr/bin/python3
"""In front of Elasticsearch on this node: passes every request on to it, except those of APIs that the test distribution is without.
Those go to the world outside, which answers them for the whole cluster."""
import http.client
import re
import socketserver
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MISSING = re.compile(r'/(_nodes(/[^/]+)?/shutdown|_slm|_snapshot|_cat/snapshots)(/|\?|$)')
HOP = {'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'te', 'upgrade'}


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def pass_on(self):
        length = int(self.headers.get('content-length') or 0)
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        if MISSING.match(self.path):
            host = 'missing-apis.elasticsearch.test'
            upstream, headers = http.client.HTTPConnection(host, 80, timeout=120), {**headers, 'host': host}
            headers = {name: value for name, value in headers.items() if name != 'Host'}
        else:
            upstream = http.client.HTTPConnection('127.0.0.1', 9201, timeout=180)
        try:
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            content = answer.read()
        except OSError:
            # As from a server that is not there.
            self.close_connection = True
            return
        finally:
            upstream.close()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header('content-length', answer.getheader('content-length') if self.command == 'HEAD' else str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


Server(('0.0.0.0', 9200), Handler).serve_forever()
